package agent

import (
	"regexp"
	"strings"
)

// speech is what a model says as it comes, handed on in whole words: of a secret that
// stands in two pieces neither would be known for one.
type speech struct{ held strings.Builder }

// unfinished is the end of a text that may go on as a word of a secret: the word, with
// what makes it one in a header.
var unfinished = regexp.MustCompile(`(?:(?i:bearer )\s*)?[A-Za-z0-9._~+/=-]*$`)

// take returns what may be handed on, all of it when the text is at its end, and holds
// the rest back.
func (s *speech) take(end bool) string {
	text := s.held.String()
	upTo := len(text)
	if !end {
		upTo = unfinished.FindStringIndex(text)[0]
		if key := strings.LastIndex(text, "-----BEGIN "); key >= 0 && !strings.Contains(text[key:], "-----END ") {
			upTo = min(upTo, key) // its lines belong together
		}
	}
	s.held.Reset()
	s.held.WriteString(text[upTo:])
	return text[:upTo]
}
