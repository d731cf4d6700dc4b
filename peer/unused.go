package peer

import (
	"errors"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// unused are the connections that no request came on yet. Clients make some in
// reserve; http.Server.Shutdown waits for each until it is 5 s old.
type unused struct {
	mu    sync.Mutex
	conns map[net.Conn]struct{}
}

// note is the ConnState hook of the server.
func (u *unused) note(c net.Conn, state http.ConnState) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if state == http.StateNew {
		if u.conns == nil {
			u.conns = make(map[net.Conn]struct{})
		}
		u.conns[c] = struct{}{}
		return
	}
	delete(u.conns, c)
}

func (u *unused) list() []net.Conn {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Collect(maps.Keys(u.conns))
}

// closeAfter closes those that are still unused once a first request had grace
// to arrive, or once done is closed.
func (u *unused) closeAfter(grace time.Duration, done <-chan struct{}) error {
	if len(u.list()) == 0 {
		return nil
	}
	select {
	case <-time.After(grace):
	case <-done:
	}
	var errs []error
	for _, c := range u.list() {
		if err := c.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
