package fakeprovider

import (
	"regexp"
	"unicode/utf8"
)

// firstPart is the character that stands for the byte 0 where a text that is cut
// within a character becomes JSON.
const firstPart = 0xe000

var partPattern = regexp.MustCompile(`[\x{e080}-\x{e0ff}]`)

// parts cuts a text into pieces of so many bytes. Bytes that are no character by
// themselves stand as ones of a private range until parted.
func parts(text string, size int) (pieces []string) {
	for len(text) > 0 {
		n := min(size, len(text))
		var piece []byte
		for rest := text[:n]; len(rest) > 0; {
			r, length := utf8.DecodeRuneInString(rest)
			if r == utf8.RuneError && length == 1 {
				r = firstPart + rune(rest[0])
			}
			piece = utf8.AppendRune(piece, r)
			rest = rest[length:]
		}
		pieces = append(pieces, string(piece))
		text = text[n:]
	}
	return pieces
}

// parted puts the bytes of parts in their places.
func parted(json []byte) []byte {
	return partPattern.ReplaceAllFunc(json, func(char []byte) []byte {
		r, _ := utf8.DecodeRune(char)
		return []byte{byte(r - firstPart)}
	})
}
