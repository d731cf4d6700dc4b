package handover

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/svc-games/svc/test/freeport"
	"github.com/svc-games/svc/test/wait"
)

// serve answers with a name on an address, in the place of whoever else listens there, as
// Caddy does.
func serve(t *testing.T, address, name string, with ...func(*http.Server)) *http.Server {
	t.Helper()
	server, l := prepare(t, address, name, with...)
	l.TakeOver()
	return server
}

// prepare is serve of one that has not taken over.
func prepare(t *testing.T, address, name string, with ...func(*http.Server)) (*http.Server, *Listener) {
	t.Helper()
	ports := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error { return set(c, reuse) }}
	l, err := ports.Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{
		Handler:      http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, name) }),
		WriteTimeout: time.Minute, // each server sets its own deadlines
		ReadTimeout:  time.Minute,
		Protocols:    new(http.Protocols),
	}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true) // has net/http read the first bytes apart
	for _, f := range with {
		f(server)
	}
	wrapped, err := Wrap(l)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(wrapped)
	t.Cleanup(func() { server.Close() })
	return server, wrapped
}

// ask sends a request on a connection and returns the answer.
func ask(t *testing.T, conn net.Conn) string {
	t.Helper()
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	a, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// shutDown begins to shut a server down; it returns once requests are no longer taken.
func shutDown(t *testing.T, server *http.Server) {
	t.Helper()
	Settle()
	ended := make(chan struct{})
	server.RegisterOnShutdown(func() { close(ended) })
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go server.Shutdown(ctx)
	wait.For(t, "the shutdown", ended)
}

func TestNoRequestIsLostWhileServersReplaceOneAnother(t *testing.T) {
	address := freeport.Address(t)
	server := serve(t, address, "0")
	var clients sync.WaitGroup
	var answered atomic.Int64
	stop := make(chan struct{})
	for range 8 {
		clients.Go(func() {
			client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			for {
				select {
				case <-stop:
					return
				default:
				}
				a, err := client.Get("http://" + address)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := io.Copy(io.Discard, a.Body); err != nil {
					t.Error(err)
				}
				a.Body.Close()
				answered.Add(1)
			}
		})
	}
	for i := range 30 {
		next := serve(t, address, fmt.Sprint(i+1))
		shutDown(t, server)
		server = next
		at := answered.Load()
		wait.Until(t, "more answers", func() bool { return t.Failed() || answered.Load() > at+8 })
	}
	close(stop)
	clients.Wait()
}

func TestConnectionWithoutARequestMovesOnToTheNextServer(t *testing.T) {
	address := freeport.Address(t)
	first := serve(t, address, "first")
	quiet := dial(t, address)
	if got := ask(t, dial(t, address)); got != "first" { // quiet was accepted before
		t.Fatalf("answered by the %s", got)
	}
	second := serve(t, address, "second")
	shutDown(t, first)
	serve(t, address, "third")
	shutDown(t, second)
	for range 2 { // the connection stays
		if got := ask(t, quiet); got != "third" {
			t.Errorf("answered by the %s", got)
		}
	}
}

// TestConnectionThatWasQuietForLongMovesOnToo: after five seconds net/http takes a
// connection without a request for idle, and closes it.
func TestConnectionThatWasQuietForLongMovesOnToo(t *testing.T) {
	t.Parallel()
	address := freeport.Address(t)
	first := serve(t, address, "first")
	quiet := dial(t, address)
	ask(t, dial(t, address))
	opened := time.Now()
	wait.Until(t, "it was quiet for long", func() bool { return time.Since(opened) > 7*time.Second })
	serve(t, address, "second")
	if err := first.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, quiet); got != "second" {
		t.Errorf("answered by the %s", got)
	}
}

// TestQuietConnectionsStillTimeOut: who sends nothing is closed by the server it moved to.
func TestQuietConnectionsStillTimeOut(t *testing.T) {
	address := freeport.Address(t)
	first := serve(t, address, "first")
	quiet := dial(t, address)
	ask(t, dial(t, address))
	serve(t, address, "second", func(s *http.Server) { s.ReadTimeout = 50 * time.Millisecond })
	shutDown(t, first)
	io.WriteString(quiet, "GET / HT")
	if err := quiet.SetReadDeadline(time.Now().Add(wait.Patience)); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(quiet); err != nil {
		t.Errorf("it is answered %q, %v", got, err)
	}
}

func TestServerThatNeverTakesOverGetsNothing(t *testing.T) {
	address := freeport.Address(t)
	serve(t, address, "first")
	refused, _ := prepare(t, address, "refused")
	for range 2 {
		if got := ask(t, dial(t, address)); got != "first" {
			t.Errorf("answered by the %s", got)
		}
		refused.Close()
	}
}

func TestConnectionInUseStaysWithItsServer(t *testing.T) {
	address := freeport.Address(t)
	serve(t, address, "first")
	used := dial(t, address)
	ask(t, used)
	serve(t, address, "second")
	if got := ask(t, used); got != "first" {
		t.Errorf("answered by the %s", got)
	}
}

func TestServerThatGoesAgainLeavesTheFormer(t *testing.T) {
	address := freeport.Address(t)
	serve(t, address, "first")
	refused := serve(t, address, "refused")
	quiet := dial(t, address)
	if got := ask(t, dial(t, address)); got != "refused" {
		t.Fatalf("answered by the %s", got)
	}
	shutDown(t, refused)
	for _, conn := range []net.Conn{quiet, dial(t, address)} {
		if got := ask(t, conn); got != "first" {
			t.Errorf("answered by the %s", got)
		}
	}
}

func TestSocketClosesWithTheLastServer(t *testing.T) {
	address := freeport.Address(t)
	first := serve(t, address, "first")
	second := serve(t, address, "second")
	first.Close()
	second.Close()
	wait.Until(t, "no socket listens", func() bool { return freeport.Listeners(t, address) == 0 })
	serve(t, address, "third")
	if got := ask(t, dial(t, address)); got != "third" {
		t.Errorf("answered by the %s", got)
	}
}
