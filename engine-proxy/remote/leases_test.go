package remote_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/api"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/remote"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/peertest"
	"github.com/svc-games/svc/test/keep"
)

// overStub is the way to a stub from another host.
func overStub(t *testing.T, stub *stubEngines) *remote.Client {
	t.Helper()
	authority := peertest.NewAuthority(t)
	server := serve(t, stub, peer.ServerOptions{
		Address: peer.Address{Network: "tcp", Name: "127.0.0.1:0"}, TLS: authority.Issue("engines"), Names: []string{"gateway"},
	})
	dir := keep.Dir(t)
	if err := os.Mkdir(filepath.Join(dir, "run"), 0o700); err != nil {
		t.Fatal(err)
	}
	return connect(t, dir, peer.ClientOptions{Address: server.Addr(), TLS: authority.Issue("gateway"), ServerName: "engines"})
}

// inMemory calls a handler without a network, so that a fake clock can rule.
type inMemory struct {
	handler http.Handler
	cut     atomic.Bool // nobody listens
}

func (m *inMemory) RoundTrip(r *http.Request) (*http.Response, error) {
	if m.cut.Load() {
		return nil, peer.ErrNotListening
	}
	near, far := net.Pipe()
	server := &http.Server{Handler: m.handler, ReadHeaderTimeout: ample}
	go func() { _ = server.Serve(&single{conn: far, done: make(chan struct{})}) }()
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(context.Context, string, string) (net.Conn, error) { return near, nil }}
	return transport.RoundTrip(r)
}

// single is a listener of one connection.
type single struct {
	conn net.Conn
	done chan struct{}
}

func (s *single) Accept() (net.Conn, error) {
	if c := s.conn; c != nil {
		s.conn = nil
		return c, nil
	}
	return nil, errors.New("no more")
}

func (s *single) Close() error   { return nil }
func (s *single) Addr() net.Addr { return &net.UnixAddr{} }

func TestLeasesHoldAsLongAsTheGatewayLives(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stub := &stubEngines{at: engineproxy.Endpoint{Network: "unix", Address: "/e.sock", InstanceID: instance}}
		h := remote.NewHandler(remote.HandlerOptions{Engines: stub, Direct: true})
		defer h.Close()
		way := &inMemory{handler: h}
		c := remote.NewClient(way, remote.Options{})
		var leases []*engineproxy.Lease
		for range 3 {
			lease, err := c.Attach(t.Context(), someProject)
			if err != nil {
				t.Fatal(err)
			}
			leases = append(leases, lease)
		}
		held := func(when string, want int) {
			t.Helper()
			synctest.Wait()
			if _, _, n := stub.asked(); n != want {
				t.Errorf("%s: %d leases are held, want %d", when, n, want)
			}
		}
		time.Sleep(10 * time.Minute) // by the fake clock
		held("ten minutes later", 3)
		leases[0].Release()
		time.Sleep(time.Second)
		held("a second after a release", 2)
		way.cut.Store(true)
		leases[1].Release()
		time.Sleep(10 * time.Second)
		way.cut.Store(false)
		time.Sleep(10 * time.Second)
		held("after a release that could not be told at once", 1)
		way.cut.Store(true) // the gateway is gone
		time.Sleep(time.Minute)
		held("a minute after the gateway's last word", 0)
		way.cut.Store(false)
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestClosedClientHoldsNothing(t *testing.T) {
	t.Parallel()
	stub := newStub(t, nil)
	h := remote.NewHandler(remote.HandlerOptions{Engines: stub, Direct: true})
	defer h.Close()
	c := remote.NewClient(&inMemory{handler: h}, remote.Options{})
	if _, err := c.Attach(t.Context(), someProject); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, held := stub.asked(); held != 0 {
		t.Errorf("%d leases are held", held)
	}
}

func TestEngineProxyThatIsAwayIsUnreachable(t *testing.T) {
	t.Parallel()
	way := new(inMemory)
	way.cut.Store(true)
	c := remote.NewClient(way, remote.Options{})
	defer c.Close()
	p := engineproxy.Project{ID: someProject}
	for name, err := range map[string]error{
		"submit": second(c.Submit(t.Context(), p, time.Hour)),
		"attach": second(c.Attach(t.Context(), p.ID)),
		"fence":  second(c.Fence(t.Context(), p, someJob)),
		"cancel": c.Cancel(t.Context(), p, someJob),
		"events": second(c.Events(t.Context(), someJob)),
		"files":  second(c.Files(t.Context(), someJob)),
		"list":   second(c.List(t.Context())),
		"forget": c.Forget(t.Context(), p.ID),
	} {
		is(t, name, err, engineproxy.ErrUnreachable)
		if errors.Is(err, engineproxy.ErrAbsent) || errors.Is(err, engineproxy.ErrNotArchived) {
			t.Errorf("%s: unreachable is taken for absent: %v", name, err)
		}
		if said := err.Error(); !strings.HasPrefix(said, "the engine can't be reached: asking the engine proxy") {
			t.Errorf("%s: the error doesn't say who was asked: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestWaitForAnEngineOutlivesTheEngineProxy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := remote.NewHandler(remote.HandlerOptions{Engines: readyEngines{}, Direct: true})
		defer h.Close()
		way := &inMemory{handler: h}
		way.cut.Store(true)
		c := remote.NewClient(way, remote.Options{})
		done := make(chan error, 1)
		go func() { done <- c.AwaitReady(t.Context(), someProject) }()
		time.Sleep(time.Minute)
		way.cut.Store(false)
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

type readyEngines struct{ engineproxy.Engines }

func (readyEngines) AwaitReady(context.Context, string) error { return nil }

func TestBridgeOfAKilledGatewayIsRemoved(t *testing.T) {
	t.Parallel()
	stub := newStub(t, nil)
	authority := peertest.NewAuthority(t)
	server := serve(t, stub, peer.ServerOptions{
		Address: peer.Address{Network: "tcp", Name: "127.0.0.1:0"}, TLS: authority.Issue("engines"), Names: []string{"gateway"},
	})
	dir := keep.Dir(t)
	left := filepath.Join(dir, "run", "bridge-1")
	if err := os.MkdirAll(left, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(left, "b.sock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // both stay: they live
		c := connect(t, dir, peer.ClientOptions{Address: server.Addr(), TLS: authority.Issue("gateway"), ServerName: "engines"})
		if _, err := c.Attach(t.Context(), someProject); err != nil {
			t.Fatal(err)
		}
	}
	dirs, err := filepath.Glob(filepath.Join(dir, "run", "bridge-*"))
	if err != nil || len(dirs) != 2 {
		t.Errorf("bridges %v, %v", dirs, err)
	}
}

// modelEngines is an engine proxy that is asked for models alone.
type modelEngines struct{ engineproxy.Engines }

var someModels = []api.Model{{Name: "writer", Default: true, Vision: true, Price: &api.ModelPrice{Input: 3, Output: 15}}}

func (modelEngines) Models(context.Context) ([]api.Model, error) { return someModels, nil }

func TestModelsAreThoseOfTheEngineProxy(t *testing.T) {
	t.Parallel()
	at := peer.Address{Network: "unix", Name: filepath.Join(keep.Dir(t), "gw.sock")}
	serve(t, modelEngines{}, peer.ServerOptions{Address: at})
	c := connect(t, keep.Dir(t), peer.ClientOptions{Address: at})
	if got, err := c.Models(t.Context()); err != nil || !reflect.DeepEqual(got, someModels) {
		t.Errorf("got %+v, %v", got, err)
	}
}
