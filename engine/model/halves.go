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

// hold returns a line in which the bytes that are no characters stand as ones.
func (a *assembly) hold(line []byte) []byte {
	if utf8.Valid(line) {
		return line
	}
	a.halves = true
	out := make([]byte, 0, len(line)+len(line)/8)
	for len(line) > 0 {
		r, size := utf8.DecodeRune(line)
		if r == utf8.RuneError && size == 1 {
			out = utf8.AppendRune(out, firstHalf+rune(line[0]))
		} else {
			out = append(out, line[:size]...)
		}
		line = line[size:]
	}
	return out
}

// joined returns a text of which the parts are together. What still is no
// character is replaced.
func (a *assembly) joined(text string) string {
	if !a.halves {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if r >= firstHalf+utf8.RuneSelf && r <= firstHalf+0xff {
			b.WriteByte(byte(r - firstHalf))
		} else {
			b.WriteRune(r)
		}
	}
	return strings.ToValidUTF8(b.String(), string(utf8.RuneError))
}
