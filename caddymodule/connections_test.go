package caddymodule_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/svc-games/svc/test/wait"
)

// from opens a connection to the gateway from an address of loopback.
func (g *testGateway) from(address string) net.Conn {
	g.t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	conn, err := dialer.DialContext(g.t.Context(), "tcp", g.addr)
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { conn.Close() })
	ctx, cancel := wait.Context(g.t)
	g.t.Cleanup(cancel)
	context.AfterFunc(ctx, func() { conn.Close() })
	return conn
}

// answered reports whether a request on a connection is answered.
func (g *testGateway) answered(conn net.Conn) bool {
	g.t.Helper()
	if _, err := io.WriteString(conn, "GET /hello HTTP/1.1\r\nHost: "+g.addr+"\r\n\r\n"); err != nil {
		return false
	}
	start := make([]byte, len("HTTP/1.1 200"))
	_, err := io.ReadFull(conn, start)
	return err == nil && string(start) == "HTTP/1.1 200"
}

func TestConnectionsOverTheBoundAreClosedAtOnce(t *testing.T) {
	g := newFakeBackend(t).gateway(t, "\tsvc_api\n\trespond /hello hi")
	g.load(wrapped("6 2"), "\tsvc_api\n\trespond /hello hi")
	wait.Until(t, "no connection of another test is open", func() bool { return g.metric("svc_connections") == 0 })
	refusals := map[string]float64{`svc_connection_refusals_total{room="address"}`: 0, `svc_connection_refusals_total{room="gateway"}`: 0}
	for name := range refusals { // which count for the whole process
		refusals[name] = g.metric(name)
	}
	for i, want := range []bool{true, true, false} {
		if conn := g.from("127.0.0.2"); g.answered(conn) != want {
			t.Errorf("connection %d of an address is answered: %v", i, !want)
		}
	}
	if !g.answered(g.from("127.0.0.3")) {
		t.Error("another address is not answered")
	}
	// Behind a trusted proxy there are many.
	proxied := []net.Conn{g.from("127.0.0.9"), g.from("127.0.0.9"), g.from("127.0.0.9")}
	for i, conn := range proxied {
		if !g.answered(conn) {
			t.Errorf("connection %d of a proxy is not answered", i)
		}
	}
	if g.answered(g.from("127.0.0.4")) {
		t.Error("one more than there may be is answered")
	}
	for name, before := range refusals {
		if got := g.metric(name) - before; got != 1 {
			t.Errorf("%s grew by %v, want 1", name, got)
		}
	}
	if n := g.metric("svc_connections"); n != 6 {
		t.Errorf("svc_connections is %v, want 6", n)
	}
	proxied[0].Close()
	wait.Until(t, "there is room for another", func() bool { return g.answered(g.from("127.0.0.5")) })
}

// wrapped are global options with the wrapper.
func wrapped(bounds string) string {
	return globals + "\tservers {\n\t\ttrusted_proxies static 127.0.0.9/32\n\t\tlistener_wrappers {\n\t\t\tsvc_connections " + bounds + "\n\t\t\ttls\n\t\t}\n\t}\n"
}

// TestQuietConnectionsKeepTheirPlacesOverAReload, also where there is no other.
func TestQuietConnectionsKeepTheirPlacesOverAReload(t *testing.T) {
	g := newFakeBackend(t).gateway(t, "\tsvc_api\n\trespond /hello hi")
	g.load(wrapped("6 2"), "\tsvc_api\n\trespond /hello hi")
	quiet := []net.Conn{g.from("127.0.0.2"), g.from("127.0.0.2")}
	if !g.answered(g.from("127.0.0.3")) {
		t.Fatal("no answer")
	}
	g.load(wrapped("6 2"), "\tsvc_api\n\trespond /hello again")
	for i, conn := range quiet {
		if !g.answered(conn) {
			t.Errorf("connection %d is not answered", i)
		}
	}
}

// TestConfigurationThatIsRefusedGetsNoConnection: the second of its servers finds its port taken.
func TestConfigurationThatIsRefusedGetsNoConnection(t *testing.T) {
	g := newFakeBackend(t).gateway(t, "\tsvc_api\n\trespond /hello hi")
	g.load(wrapped(""), "\tsvc_api\n\trespond /hello former")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	refused := g.config(wrapped(""), "\tsvc_api\n\trespond /hello refused\n}\nhttp://"+taken.Addr().String()+" {\n\trespond no")
	stop, answered := g.askOnAndOn(1, func(said string) bool { return said == "former" })
	for range 5 {
		if err := caddy.Load(refused, true); err == nil {
			t.Error("the configuration is taken")
		}
		at := answered.Load()
		wait.Until(t, "more answers", func() bool { return t.Failed() || answered.Load() > at+8 })
	}
	stop()
}

// TestReloadLosesNoRequest: without the wrapper some four in a reload find their connection
// reset, or closed without an answer.
func TestReloadLosesNoRequest(t *testing.T) {
	g := newFakeBackend(t).gateway(t, "\tsvc_api\n\trespond /hello hi")
	g.load(wrapped(""), "\tsvc_api\n\trespond /hello hi")
	stop, answered := g.askOnAndOn(4, func(said string) bool { return strings.HasPrefix(said, "hi") })
	for i := range 20 {
		if err := caddy.Load(g.config(wrapped(""), fmt.Sprintf("\tsvc_api\n\trespond /hello hi%d", i)), true); err != nil {
			t.Fatal(err)
		}
		at := answered.Load()
		wait.Until(t, "more answers", func() bool { return t.Failed() || answered.Load() > at+8 })
	}
	stop()
}

// askOnAndOn has clients that dial for each request ask for /hello until stop. Each answer
// has to be as expected.
func (g *testGateway) askOnAndOn(n int, expected func(said string) bool) (stop func(), answered *atomic.Int64) {
	g.t.Helper()
	answered = new(atomic.Int64)
	ask := func() (string, error) {
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // dials once
		a, err := client.Get("http://" + g.addr + "/hello")
		if err != nil {
			return "", err
		}
		defer a.Body.Close()
		body, err := io.ReadAll(a.Body)
		return string(body), err
	}
	var clients sync.WaitGroup
	ended := make(chan struct{})
	for range n {
		clients.Go(func() {
			for {
				select {
				case <-ended:
					return
				default:
				}
				if said, err := ask(); err != nil || !expected(said) {
					g.t.Errorf("%v, answered %q", err, said)
					return
				}
				answered.Add(1)
			}
		})
	}
	return func() { close(ended); clients.Wait() }, answered
}
