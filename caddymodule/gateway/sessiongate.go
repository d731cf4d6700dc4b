package gateway

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/svc-games/svc/caddymodule/gateway/streams"
)

// A session is asked about every sessionEvery, and for sessionTimeout at most: a
// second after its end no event goes out.
const (
	sessionEvery   = 500 * time.Millisecond
	sessionTimeout = 400 * time.Millisecond
)

// sessionGate pauses the stream of a browser while nobody can say whether its session
// has ended.
type sessionGate struct {
	ended func(context.Context) (bool, error)

	mu    sync.Mutex    // guards fresh
	fresh chan struct{} // closed while the last answer is that the session goes on
}

// newSessionGate returns the gate of a session that goes on.
func newSessionGate(ended func(context.Context) (bool, error)) *sessionGate {
	g := &sessionGate{ended: ended, fresh: make(chan struct{})}
	close(g.fresh)
	return g
}

// watch ends a stream with the session. It returns then, or once ctx is done.
func (g *sessionGate) watch(ctx context.Context, s *streams.Stream) {
	tick := time.NewTicker(sessionEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		ended, err := g.ask(ctx)
		if err == nil && ended {
			s.End(streams.ReasonSessionEnded)
			return
		}
		g.set(err == nil)
	}
}

func (g *sessionGate) ask(ctx context.Context) (ended bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, sessionTimeout)
	defer cancel()
	return g.ended(ctx)
}

// set opens the gate, or closes it.
func (g *sessionGate) set(fresh bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.fresh:
		if !fresh {
			g.fresh = make(chan struct{})
		}
	default:
		if fresh {
			close(g.fresh)
		}
	}
}

func (g *sessionGate) current() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.fresh
}

// Fresh implements streams.Gate.
func (g *sessionGate) Fresh() bool {
	select {
	case <-g.current():
		return true
	default:
		return false
	}
}

// AwaitFresh implements streams.Gate.
func (g *sessionGate) AwaitFresh(ctx context.Context) error {
	select {
	case <-g.current():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Interface guards
var _ streams.Gate = (*sessionGate)(nil)

// follow serves the events of a job to its owner, whom the caller let in by other
// means than a key, until ended says that this is over; nil: it never is.
func (l *Locator) follow(w http.ResponseWriter, r *http.Request, q *Request, ended func(context.Context) (bool, error)) error {
	stream, err := l.Streams.Open(streams.Reader{UserID: q.UserID, ProjectID: q.ProjectID})
	if err != nil {
		return noRoom(err)
	}
	if ended == nil {
		s := l.newServing(w, r, stream, nil)
		return s.serve(r, q)
	}
	gate := newSessionGate(ended)
	ctx, leave := context.WithCancel(r.Context())
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		gate.watch(ctx, stream)
	}()
	defer func() {
		leave()
		<-watched
	}()
	s := l.newServing(w, r, stream, gate)
	return s.serve(r, q)
}
