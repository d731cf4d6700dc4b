package agent

import (
	"hash/fnv"
	"io"
	"slices"

	"github.com/svc-games/svc/engine/model"
)

// When a model is taken to be going round in circles.
const (
	window     = 24 // calls that are remembered
	sameNudge  = 3  // times that one call had one result
	sameStop   = 5
	errorNudge = 3 // times in a row that a call failed with the same words
	errorStop  = 5
	alternate  = 8 // calls of which every second is the same
)

// motion is how a run moves on.
type motion int

const (
	moving motion = iota
	circling
	stuckFast
)

// stuck notices a model that repeats itself.
type stuck struct {
	seen   []uint64 // calls with their results, the last one last
	errors []uint64 // results of the calls that failed in a row
}

// observe takes a call and its result into account.
func (s *stuck) observe(c model.Call, r result) motion {
	print := fingerprint(c.Name, c.Arguments, r.text)
	s.seen = append(s.seen, print)
	s.seen = s.seen[max(0, len(s.seen)-window):]
	if r.ok {
		s.errors = nil
	} else {
		s.errors = append(s.errors, fingerprint(c.Name, r.text))
	}
	same, failing := s.same(print), s.failing()
	switch {
	case same >= sameStop, failing >= errorStop, s.alternates():
		return stuckFast
	case same == sameNudge, failing == errorNudge:
		return circling
	}
	return moving
}

// same counts how often a call had a result.
func (s *stuck) same(print uint64) int {
	n := 0
	for _, other := range s.seen {
		if other == print {
			n++
		}
	}
	return n
}

// failing counts how often in a row a call failed in the same way.
func (s *stuck) failing() int {
	n := 0
	for _, e := range slices.Backward(s.errors) {
		if e != s.errors[len(s.errors)-1] {
			break
		}
		n++
	}
	return n
}

// alternates reports whether the last calls go to and fro between two.
func (s *stuck) alternates() bool {
	if len(s.seen) < alternate {
		return false
	}
	last := s.seen[len(s.seen)-alternate:]
	for i := 2; i < len(last); i++ {
		if last[i] != last[i-2] {
			return false
		}
	}
	return true
}

func fingerprint(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		_, _ = io.WriteString(h, p+"\x00") // a hash takes everything
	}
	return h.Sum64()
}
