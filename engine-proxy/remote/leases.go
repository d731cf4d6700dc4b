package remote

import (
	"maps"
	"sync"
	"time"
)

// leaseTTL is how long a gateway's leases hold without a word from it.
const leaseTTL = 30 * time.Second

// leases are those that gateways hold, by the session of each: a gateway that
// dies says nothing more, and its leases end with its session.
type leases struct {
	mu       sync.Mutex // guards sessions
	sessions map[string]*session
}

type session struct {
	expiry  *time.Timer
	release map[uint64]func()
}

func newLeases() *leases { return &leases{sessions: make(map[string]*session)} }

// hold notes a lease that was just given. One with the same number, whose
// answer was lost, ends.
func (l *leases) hold(ref leaseRef, release func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.session(ref.Session)
	if before := s.release[ref.ID]; before != nil {
		before()
	}
	s.release[ref.ID] = release
}

// touch keeps a session, and ends its leases that are not used any more.
func (l *leases) touch(t touch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.session(t.Session)
	for _, id := range t.Released {
		s.end(id)
	}
	if !t.All {
		return
	}
	live := make(map[uint64]bool, len(t.Live))
	for _, id := range t.Live {
		live[id] = true
	}
	for id := range s.release {
		if id <= t.UpTo && !live[id] {
			s.end(id)
		}
	}
}

// session returns a session, kept for another while. It is called with mu
// held.
func (l *leases) session(id string) *session {
	s := l.sessions[id]
	if s == nil {
		s = &session{release: make(map[uint64]func())}
		s.expiry = time.AfterFunc(leaseTTL, func() { l.drop(id, s) })
		l.sessions[id] = s
	}
	s.expiry.Reset(leaseTTL)
	return s
}

// drop ends a session and all its leases.
func (l *leases) drop(id string, s *session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sessions[id] == s {
		delete(l.sessions, id)
	}
	s.expiry.Stop()
	for id := range s.release {
		s.end(id)
	}
}

func (s *session) end(id uint64) {
	if release := s.release[id]; release != nil {
		delete(s.release, id)
		release()
	}
}

// close ends all sessions.
func (l *leases) close() {
	l.mu.Lock()
	all := maps.Clone(l.sessions)
	l.mu.Unlock()
	for id, s := range all {
		l.drop(id, s)
	}
}
