package model

import (
	"strings"
	"unicode/utf8"
)

// Tokens may end in the middle of a character, and some servers send each as it
// is: two strings then hold a part of the character, which is no JSON string.
// Until they are together such bytes are characters of a private range, which
// JSON lets through.
const firstHalf = 0x10fe00

// hold returns an event in which the bytes that are no characters stand as ones.
func hold(data []byte) line {
	if utf8.Valid(data) {
		return line{data: data}
	}
	out := make([]byte, 0, len(data)+len(data)/8)
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			out = utf8.AppendRune(out, firstHalf+rune(data[0]))
		} else {
			out = append(out, data[:size]...)
		}
		data = data[size:]
	}
	return line{data: out, halves: true}
}

// append adds a string of the event to a text, its halves as what they are.
func (l line) append(text []byte, more string) []byte {
	if !l.halves {
		return append(text, more...)
	}
	for _, r := range more {
		if r >= firstHalf+utf8.RuneSelf && r <= firstHalf+0xff {
			text = append(text, byte(r-firstHalf))
		} else {
			text = utf8.AppendRune(text, r)
		}
	}
	return text
}

// unfinished is how many bytes at the end of a text are the beginning of a
// character.
func unfinished(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}

// characters is a text of which the parts are together. What still is no
// character is replaced.
func characters(text []byte) string {
	return strings.ToValidUTF8(string(text), string(utf8.RuneError))
}
