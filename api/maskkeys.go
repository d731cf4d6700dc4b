package api

import (
	"bytes"
	"strconv"
)

// secretPrefixes are those of API keys and of stream tokens.
var secretPrefixes = []string{"sk-", "stk-"}

// minKeyLike is how many characters after a prefix make a secret, or what someone
// took for one. A key has 49; one that was cut off is masked too. What stands
// before does not matter: it may be an escaped "=", as in "key%3Dsk-".
const minKeyLike = 16

// MaskKeys overwrites everything in text that looks like a key, percent-encoded or
// not: a log has addresses and other texts as clients wrote them.
func MaskKeys(text []byte) {
	for {
		begin := bytes.IndexAny(text, "s%")
		if begin < 0 {
			return
		}
		text = text[begin:]
		at := 0
		for _, want := range secretPrefixes {
			at = max(at, prefix(text, want))
		}
		if at == 0 {
			text = text[1:]
			continue
		}
		end, n := at, 0
		for {
			c, width := character(text[end:])
			if width == 0 || !isAlphanumeric(c) {
				break
			}
			end += width
			n++
		}
		if n < minKeyLike {
			text = text[1:] // a key may begin in what was looked at
			continue
		}
		for i := at; i < end; i++ {
			text[i] = '*'
		}
		text = text[end:]
	}
}

// prefix returns how many bytes of text stand for want, 0 when it begins otherwise.
func prefix(text []byte, want string) (length int) {
	for i := range len(want) {
		c, width := character(text[length:])
		if width == 0 || c != want[i] {
			return 0
		}
		length += width
	}
	return length
}

// character returns the character that text begins with, also when it is
// percent-encoded, once or more often, and how many bytes it takes.
func character(text []byte) (c byte, width int) {
	if len(text) == 0 {
		return 0, 0
	}
	c, width = text[0], 1
	for c == '%' && width+2 <= len(text) {
		decoded, err := strconv.ParseUint(string(text[width:width+2]), 16, 8)
		if err != nil {
			break
		}
		c, width = byte(decoded), width+2
	}
	return c, width
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}
