package gateway

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"

	"github.com/svc-games/svc/peer"
)

// detach takes the stream away from its server, which then gives back the goroutines and
// buffers of the request. It is tried once.
func (s *serving) detach(r *http.Request, q streamed, stopBeat func()) bool {
	s.detaches = false
	ctx, cancel := context.WithCancel(peer.WithRequest(context.Background(), peer.RequestOf(r.Context())))
	leave := func() {
		cancel()
		s.wake()
	}
	server, _ := r.Context().Value(http.ServerContextKey).(*http.Server)
	if !s.out.Detach(ctx, server, s.stall, leave, s.broke) {
		cancel()
		return false
	}
	s.cancel()
	s.cancel, s.stopBeat, s.detached = cancel, stopBeat, true
	s.endWithStream()
	go s.run(q)
	return true
}

// wake has a parked stream served again.
func (s *serving) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.parked {
		s.parked = false
		go s.run(s.of)
	}
}

// park leaves a stream that has nothing to send until that changes, or it ends. false: it
// is to be served on by who called.
func (s *serving) park() bool {
	reader, changed, ctx := s.reader, s.changed, s.out.Context() // which are another goroutine's from now on
	s.mu.Lock()
	s.parked = true
	s.mu.Unlock()
	if reader.Park(changed, s.wake) && ctx.Err() == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	mine := s.parked
	s.parked = false
	return !mine
}

// run serves a detached stream while there is something to send.
func (s *serving) run(q streamed) {
	over, whole := true, false
	defer func() {
		if p := recover(); p != nil {
			s.broke(fmt.Errorf("serving it panicked: %v\n%s", p, debug.Stack()))
		}
		if over {
			s.stopBeat()
			s.out.Close(whole)
			s.done()
		}
	}()
	for {
		idle, err := s.goOn(s.out.Context(), q)
		if !idle {
			whole = s.finish(err)
			return
		}
		if s.park() {
			over = false
			return
		}
	}
}

// finish says the last word of a detached stream, and whether its body is whole.
func (s *serving) finish(err error) (whole bool) {
	left := s.out.Context().Err() != nil
	if s.conclude() {
		return !s.out.MustAbort()
	}
	if err != nil && !left {
		s.broke(err)
	}
	return err == nil && !left
}
