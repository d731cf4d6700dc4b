package streams

import (
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/test/wait"
)

// stalled is a server's writer to a client that takes nothing once it is full: a write then
// waits until its deadline.
type stalled struct {
	http.ResponseWriter

	mu      sync.Mutex // guards the following fields
	full    bool
	waits   bool          // a write does
	at      time.Time     // the deadline
	changed chan struct{} // closed when either is another one
}

func newStalled() *stalled {
	return &stalled{ResponseWriter: httptest.NewRecorder(), changed: make(chan struct{})}
}

func (s *stalled) SetWriteDeadline(at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = at
	s.changeLocked()
	return nil
}

func (s *stalled) Write(p []byte) (int, error) {
	for {
		s.mu.Lock()
		full, at, changed := s.full, s.at, s.changed
		s.waits = full
		s.mu.Unlock()
		if !full {
			return s.ResponseWriter.Write(p)
		}
		select {
		case <-time.After(time.Until(at)):
			return 0, os.ErrDeadlineExceeded
		case <-changed:
		}
	}
}

// FlushError has nothing to do: each write is sent.
func (s *stalled) FlushError() error { return nil }

// set says whether the client is full.
func (s *stalled) set(full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.full = full
	s.changeLocked()
}

func (s *stalled) changeLocked() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// waiting returns how long a write waits at most, 0 if none does.
func (s *stalled) waiting() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.waits {
		return 0
	}
	return time.Until(s.at)
}

// usually is how long a client may take nothing.
const usually = time.Hour

// caddys gives each write its usual time, or less if a handler has set that, as Caddy's
// IdleTimeoutWriter does. It has no lock either.
type caddys struct {
	*stalled

	most time.Time
}

func (c *caddys) Unwrap() http.ResponseWriter { return c.stalled }

func (c *caddys) SetWriteDeadline(at time.Time) error {
	c.most = at
	return c.stalled.SetWriteDeadline(at)
}

func (c *caddys) Write(p []byte) (int, error) {
	at := time.Now().Add(usually)
	if !c.most.IsZero() && at.After(c.most) {
		at = c.most
	}
	if err := c.stalled.SetWriteDeadline(at); err != nil {
		return 0, err
	}
	return c.stalled.Write(p)
}

// TestALastWordThatIsNotTakenIsGivenUpSoon: Caddy gives each write its usual time.
func TestALastWordThatIsNotTakenIsGivenUpSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newStalled()
		out := NewWriter(t.Context(), &caddys{stalled: server}, nil)
		if err := out.Begin(); err != nil {
			t.Fatal(err)
		}
		server.set(true)
		start := time.Now()
		out.End(ReasonShutdown)
		if took := time.Since(start); took > endTimeout {
			t.Errorf("the end took %v, want at most %v", took, endTimeout)
		}
	})
}

// TestAStreamThatEndsHurriesTheWriteThatIsUnderWay: which holds the lock, and which Caddy
// has given its usual time.
func TestAStreamThatEndsHurriesTheWriteThatIsUnderWay(t *testing.T) {
	server := newStalled()
	out := NewWriter(t.Context(), &caddys{stalled: server}, nil)
	if err := out.Begin(); err != nil {
		t.Fatal(err)
	}
	server.set(true)
	var both sync.WaitGroup
	both.Go(func() {
		if err := out.Event([]byte("id: 1\ndata: {}\n\n"), 1, false); err != nil {
			t.Error(err)
		}
	})
	wait.Until(t, "the event is being written", func() bool { return server.waiting() > endTimeout })
	both.Go(func() { out.End(ReasonShutdown) })
	wait.Until(t, "it is hurried", func() bool { return server.waiting() <= endTimeout })
	server.set(false)
	both.Wait()
	if !out.Ended() {
		t.Error("the stream has not ended")
	}
}
