package console

import (
	"sync"
	"time"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// maxStreams bounds what is kept of streams: each costs a decision without it.
const maxStreams = 4096

// timedEvery is how often a stream is decided on again that the policy allows by the time.
const timedEvery = 5 * time.Second

// streams has by what the streams of events were last allowed. It is safe for concurrent
// use.
type streams struct {
	mu   sync.Mutex
	last map[string]allowance // by stream
}

// allowance is why a stream goes on without another decision.
type allowance struct {
	basis string
	reach sidecar.Reach // whose stream: one session may have several, of several addresses
	until time.Time     // zero: as long as the basis is this
}

// allowed reports whether the stream of a request was allowed by this basis.
func (s *streams) allowed(stream, basis string, of peer.Request, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	last, known := s.last[stream]
	return known && last.basis == basis && last.reach == sidecar.ReachOf(last.reach.Reads, of) && (last.until.IsZero() || now.Before(last.until))
}

// lasts narrows the allowance to what a decision that it rests on is good for.
func (a *allowance) lasts(reads policy.Reads, of peer.Request, now time.Time) {
	a.reach = sidecar.ReachOf(a.reach.Reads|reads, of)
	if a.reach.Timed() {
		a.until = now.Add(timedEvery)
	}
}

// allow notes that it is.
func (s *streams) allow(stream string, by allowance) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil || len(s.last) >= maxStreams {
		s.last = make(map[string]allowance) // mostly of streams that are gone
	}
	s.last[stream] = by
}
