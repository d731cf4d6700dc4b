package drivertest

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/test/fake/engine/orders"
	"github.com/svc-games/svc/test/wait"
)

// startItsSocketIsItsAlone proves what a proven endpoint says: who has the address of one
// start reaches its engine or nobody, also after the next start.
func (h Harness) startItsSocketIsItsAlone(t *testing.T) {
	d, s, handle := h.running(t, orders.Orders{})
	at := endpointOf(t, d, handle)
	if at.Proven != h.OwnSockets {
		t.Fatalf("an engine at %s is proven: %t, want %t", at.Address, at.Proven, h.OwnSockets)
	}
	if !at.Proven {
		return
	}
	if adopted, err := h.New(t).Adopt(t.Context(), handle); err != nil || adopted.Endpoint != at || at.Address != s.Socket {
		t.Errorf("at %+v; adopted at %+v, %v; told to listen at %s", at, adopted.Endpoint, err, s.Socket)
	}
	if !listens(at) {
		t.Error("nobody listens where the engine is")
	}
	must(t, d.Stop(t.Context(), handle, wait.Patience))
	if listens(at) {
		t.Error("somebody listens where an engine was that is gone")
	}
	must(t, d.Remove(t.Context(), handle))
	renew(t, &s)
	next, _ := run(t, d, s, orders.Orders{})
	if now := endpointOf(t, d, next); !now.Proven || now.Address == at.Address || !listens(now) || listens(at) {
		t.Errorf("the next engine is at %+v, and the one before it was at %+v", now, at)
	}
}

// startAnotherSocketProvesNothing: what has not the name of its start may have been, or
// become, another's. So had the engines of former versions.
func (h Harness) startAnotherSocketProvesNothing(t *testing.T) {
	d, s := h.New(t), h.Spec(t)
	if s.Remote != nil {
		t.Skip("its engines have no socket")
	}
	former := driver.Incarnation{Generation: s.Generation - 1}
	for _, name := range []string{"e.sock", former.SocketName()} {
		s.Socket = filepath.Join(s.RuntimeDir, name)
		handle, _ := run(t, d, s, orders.Orders{})
		if at := endpointOf(t, d, handle); at.Proven {
			t.Errorf("generation %d is proven at %s", s.Generation, at.Address)
		}
		must(t, d.Stop(t.Context(), handle, wait.Patience))
		must(t, d.Remove(t.Context(), handle))
		must(t, os.RemoveAll(s.Socket))
		renew(t, &s)
		former.Generation = s.Generation - 1
	}
}

func endpointOf(t *testing.T, d driver.Driver, h driver.Handle) driver.Endpoint {
	t.Helper()
	obs, err := d.Inspect(t.Context(), h)
	must(t, err)
	return obs.Endpoint
}

func listens(at driver.Endpoint) bool {
	conn, err := net.Dial(at.Network, at.Address)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}
