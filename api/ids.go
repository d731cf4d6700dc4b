package api

import (
	"strings"

	"github.com/oklog/ulid/v2"
)

// ValidProjectID reports whether s has the form of a project id.
func ValidProjectID(s string) bool {
	const length = 24
	return len(s) == length && hexadecimal.holds(s)
}

// ValidJobID reports whether s has the form of a job id.
func ValidJobID(s string) bool {
	id, ok := strings.CutPrefix(s, "job_")
	// A ULID has 128 bits in 26 characters of 5: the first is at most 7.
	return ok && len(id) == ulid.EncodedSize && id[0] <= '7' && crockford.holds(id)
}

// alphabet says of each byte whether ids of a kind have it. It is on the path of
// every request, where a regular expression would show, and a search for each
// character too.
type alphabet [256]bool

// The alphabets of project ids and of ULIDs.
var (
	hexadecimal = alphabetOf("0123456789abcdef")
	crockford   = alphabetOf(ulid.Encoding)
)

func alphabetOf(characters string) *alphabet {
	var a alphabet
	for i := range len(characters) {
		a[characters[i]] = true
	}
	return &a
}

// holds reports whether all of s is in the alphabet.
func (a *alphabet) holds(s string) bool {
	for i := range len(s) {
		if !a[s[i]] {
			return false
		}
	}
	return true
}
