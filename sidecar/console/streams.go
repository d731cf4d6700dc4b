package console

import "sync"

// maxStreams bounds what is kept of streams: each costs a decision without it.
const maxStreams = 4096

// streams has by what basis the streams of events were last allowed. It is safe for
// concurrent use.
type streams struct {
	mu   sync.Mutex
	last map[string]string // basis by stream
}

// allowed reports whether the stream was allowed by this basis.
func (s *streams) allowed(stream, basis string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	last, known := s.last[stream]
	return known && last == basis
}

// allow notes that it is.
func (s *streams) allow(stream, basis string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil || len(s.last) >= maxStreams {
		s.last = make(map[string]string) // mostly of streams that are gone
	}
	s.last[stream] = basis
}
