// Package streams knows the event streams that are open, so that one can be
// ended from elsewhere: a revoked key's at once, that of a reader who lost access,
// all of them when the service stops.
package streams

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/svc-games/svc/sidecar"
)

// Reasons of a stream's end, as clients read them.
const (
	ReasonKeyRevoked   = "key_revoked"
	ReasonKeyDisabled  = "key_disabled"
	ReasonAccessLost   = "access_lost"   // the key's user may no longer look at the project
	ReasonUnchecked    = "key_unchecked" // no one can say whether the key may look on
	ReasonSessionEnded = "session_ended" // the one of the console that opened it
	ReasonShutdown     = "shutdown"
)

// comesBack reports whether the client of a stream that ends for a reason may
// read on once it has connected again.
func comesBack(reason string) bool { return reason == ReasonShutdown || reason == ReasonUnchecked }

// Registry holds the open streams. The zero Registry works and is without
// bounds. It is safe for concurrent use.
type Registry struct {
	// Changed is told by how much the number of open streams changed; nil: no one
	// is. It must not call the Registry.
	Changed func(by int)

	timed atomic.Int64 // open streams whose Reach is timed

	mu       sync.Mutex // guards the following fields
	byHolder map[holder]map[*Stream]struct{}
	open     int
	bounds   Bounds
	ended    string        // the reason of CloseAll, "" before
	empty    chan struct{} // closed when no stream is open any more; nil: nobody waits for that
}

// Reader is who looks at a project: a key, or without one a user who was let in
// by other means.
type Reader struct {
	KeyID, UserID, ProjectID string
	// Reach is that of the decision which lets a key in, with what it was decided on.
	Reach sidecar.Reach
}

// holder is what streams are counted by.
type holder struct{ keyID, userID string }

func (r Reader) holder() holder {
	if r.KeyID != "" {
		return holder{keyID: r.KeyID}
	}
	return holder{userID: r.UserID}
}

// Stream is one open stream.
type Stream struct {
	registry *Registry
	reader   Reader
	closing  chan string

	mu    sync.Mutex // guards onEnd
	onEnd func()
}

// Open registers a stream that a reader opens, or returns a FullError. Done must
// be called once.
func (g *Registry) Open(by Reader) (*Stream, error) {
	s := &Stream{registry: g, reader: by, closing: make(chan string, 1)}
	who := by.holder()
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.bounds.check(len(g.byHolder[who]), g.open); err != nil {
		return nil, err
	}
	if g.byHolder == nil {
		g.byHolder = make(map[holder]map[*Stream]struct{})
	}
	if g.byHolder[who] == nil {
		g.byHolder[who] = make(map[*Stream]struct{})
	}
	g.byHolder[who][s] = struct{}{}
	g.count(1, by)
	if g.ended != "" {
		s.End(g.ended)
	}
	return s, nil
}

// count notes a change of the number of open streams, by those of a reader.
func (g *Registry) count(by int, of Reader) {
	g.open += by
	if g.open == 0 && g.empty != nil {
		close(g.empty)
		g.empty = nil
	}
	if of.Reach.Timed() {
		g.timed.Add(int64(by))
	}
	if g.Changed != nil {
		g.Changed(by)
	}
}

// Closing receives the reason when the stream shall end.
func (s *Stream) Closing() <-chan string { return s.closing }

// OnEnd has f called when the stream shall end, at once if it is so already. It may be
// called twice, and must not wait. Once Done has returned it is not called any more.
func (s *Stream) OnEnd(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onEnd = f
	if len(s.closing) > 0 {
		f()
	}
}

// Done takes the stream out of the registry.
func (s *Stream) Done() {
	s.mu.Lock()
	s.onEnd = nil
	s.mu.Unlock()
	g := s.registry
	g.mu.Lock()
	defer g.mu.Unlock()
	who := s.reader.holder()
	delete(g.byHolder[who], s)
	if len(g.byHolder[who]) == 0 {
		delete(g.byHolder, who)
	}
	g.count(-1, s.reader)
}

// Timed reports whether a stream is open that was let in by a decision which is not good
// for ever.
func (g *Registry) Timed() bool { return g.timed.Load() > 0 }

// Len returns how many streams are open.
func (g *Registry) Len() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open
}

// ReadersOf returns whose streams of a key are open, each once.
func (g *Registry) ReadersOf(keyID string) []Reader {
	g.mu.Lock()
	defer g.mu.Unlock()
	readers := make(map[Reader]struct{})
	for s := range g.byHolder[holder{keyID: keyID}] {
		readers[s.reader] = struct{}{}
	}
	return slices.Collect(maps.Keys(readers))
}

// Readers returns whose streams are open, each once, but for those without a key.
func (g *Registry) Readers() []Reader {
	g.mu.Lock()
	defer g.mu.Unlock()
	readers := make(map[Reader]struct{})
	for who, streams := range g.byHolder {
		if who.keyID == "" {
			continue
		}
		for s := range streams {
			readers[s.reader] = struct{}{}
		}
	}
	return slices.Collect(maps.Keys(readers))
}

// CloseReader ends the streams of a reader.
func (g *Registry) CloseReader(r Reader, reason string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for s := range g.byHolder[r.holder()] {
		if s.reader == r {
			s.End(reason)
		}
	}
}

// CloseAll tells every stream to end, those too that are opened from now on:
// clients come back at once, and the service still listens for a moment.
func (g *Registry) CloseAll(reason string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = reason
	for _, streams := range g.byHolder {
		for s := range streams {
			s.End(reason)
		}
	}
}

// AwaitEnd waits until the clients of all streams know of the end, or those that are left
// read nothing. It comes after CloseAll, and a server waits for no detached stream.
func (g *Registry) AwaitEnd() {
	g.mu.Lock()
	if g.open > 0 && g.empty == nil {
		g.empty = make(chan struct{})
	}
	empty := g.empty
	g.mu.Unlock()
	if empty == nil {
		return
	}
	limit := time.NewTimer(2 * endTimeout)
	defer limit.Stop()
	select {
	case <-empty:
	case <-limit.C:
	}
}

// End tells the stream to end. The first reason counts; a stream ends once.
func (s *Stream) End(reason string) {
	select {
	case s.closing <- reason:
	default:
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.onEnd != nil {
		s.onEnd()
	}
}

// Bounds is how many streams may be open at once. 0 means no bound.
type Bounds struct {
	PerKey int // of one key, or of one user without a key
	All    int
}

// Room is what a stream found no room in.
type Room string

// The rooms.
const (
	RoomKey     Room = "key"
	RoomGateway Room = "gateway"
)

// FullError is the error of a stream for which there is no room.
type FullError struct {
	Room Room
	Most int // streams that it has room for
}

func (e *FullError) Error() string {
	return fmt.Sprintf("%d event streams are open, which is as many as the %s may have", e.Most, e.Room)
}

// check returns the error of one stream more, where a key has so many and all have
// so many.
func (b Bounds) check(key, all int) error {
	switch {
	case b.PerKey > 0 && key >= b.PerKey:
		return &FullError{RoomKey, b.PerKey}
	case b.All > 0 && all >= b.All:
		return &FullError{RoomGateway, b.All}
	}
	return nil
}

// Limit sets the bounds of streams that are opened from now on. Those that are
// open go on, and count.
func (g *Registry) Limit(b Bounds) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.bounds = b
}
