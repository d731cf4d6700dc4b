package peer

import (
	"net/http"
	"sync"
)

// Gate holds requests back until there is somebody to answer them. It lets a
// process take a socket over before it can do what its predecessor does still:
// who asks meanwhile waits instead of being refused.
type Gate struct {
	once    sync.Once
	opened  chan struct{}
	handler http.Handler // set before opened is closed
}

// NewGate returns a gate that is shut.
func NewGate() *Gate { return &Gate{opened: make(chan struct{})} }

// Open lets all requests through to h. Only the first call counts.
func (g *Gate) Open(h http.Handler) {
	g.once.Do(func() {
		g.handler = h
		close(g.opened)
	})
}

// ServeHTTP waits for the gate to be opened. The server's Close answers those
// who wait with 503.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case <-g.opened:
	case <-Stopping(r.Context()):
	case <-r.Context().Done():
		return
	}
	select {
	case <-g.opened: // also by a server that is about to close
		g.handler.ServeHTTP(w, r)
	default:
		refuse(w, http.StatusServiceUnavailable, "the service could not start")
	}
}

var _ http.Handler = (*Gate)(nil)
