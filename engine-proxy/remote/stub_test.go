package remote_test

import (
	"context"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/test/keep"
)

const (
	someProject = "0123456789abcdef01234567"
	someJob     = "job_01HZZZZZZZZZZZZZZZZZZZZZZZ"
	instance    = "01HZZZZZZZZZZZZZZZZZZZZZZZ"
	engineToken = "the-engine's-token"
)

// stubEngines leads every project to one engine, which is a handler of the
// test, and counts what it is asked.
type stubEngines struct {
	engineproxy.Engines // what a test does not expect panics
	at                  engineproxy.Endpoint

	mu       sync.Mutex // guards what follows
	submits  int
	attaches int
	leases   int // held
	err      error
}

// newStub runs a handler as an engine.
func newStub(t *testing.T, engine http.HandlerFunc) *stubEngines {
	t.Helper()
	path := filepath.Join(keep.Dir(t), "e.sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{ReadHeaderTimeout: ample, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(contract.HeaderInstance, instance)
		engine(w, r)
	})}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return &stubEngines{at: engineproxy.Endpoint{Network: "unix", Address: path, InstanceID: instance, Token: engineToken}}
}

func (s *stubEngines) Submit(context.Context, engineproxy.Project, time.Duration) (*engineproxy.Lease, error) {
	return s.lease(&s.submits)
}

func (s *stubEngines) Attach(context.Context, string) (*engineproxy.Lease, error) {
	return s.lease(&s.attaches)
}

func (s *stubEngines) lease(count *int) (*engineproxy.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*count++
	if s.err != nil {
		return nil, s.err
	}
	s.leases++
	return &engineproxy.Lease{Endpoint: s.at, Release: func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.leases--
	}}, nil
}

// asked returns how often leases were asked for, and how many are held.
func (s *stubEngines) asked() (submits, attaches, held int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.submits, s.attaches, s.leases
}
