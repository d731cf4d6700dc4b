package caddymodule_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/svc-games/svc/test/freeport"
	"github.com/svc-games/svc/test/wait"
)

// hurried is what every timeout of the shipped Caddyfile becomes, so that
// these tests need not wait for it. A busy machine may take a while to send what
// is to arrive within it.
const hurried = 5 * time.Second

// shipped runs the shipped Caddyfile in front of a fake backend, in a hurry.
func shipped(t *testing.T, d *fakeBackend) *testGateway {
	t.Helper()
	g := &testGateway{fakeBackend: d, t: t, addr: freeport.Address(t)}
	t.Setenv("SVC_ADDRESS", "http://"+g.addr)
	t.Setenv("SVC_DATA_DIR", d.dir)
	t.Setenv("SVC_LOG_LEVEL", "PANIC")
	text, err := os.ReadFile("../Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	config, err := adapt(t, string(text))
	if err != nil {
		t.Fatal(err)
	}
	var tree map[string]any
	if err := json.Unmarshal(onFake(t, config), &tree); err != nil {
		t.Fatal(err)
	}
	tree["admin"] = map[string]any{"disabled": true}
	servers := tree["apps"].(map[string]any)["http"].(map[string]any)["servers"].(map[string]any)
	for _, s := range servers {
		server := s.(map[string]any)
		if _, there := server["write_timeout"]; there {
			t.Error("a write timeout cuts event streams")
		}
		for _, name := range []string{"read_header_timeout", "read_timeout", "idle_timeout"} {
			if _, there := server[name]; !there {
				t.Errorf("the shipped Caddyfile sets no %s", name)
			}
			server[name] = hurried
		}
		// Caddy's own defaults, a minute each.
		server["read_idle_timeout"] = hurried
		server["write_idle_timeout"] = hurried
	}
	raw, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	if err := caddy.Load(raw, true); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := caddy.Stop(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// dial opens a connection and sends text on it.
func (g *testGateway) dial(t *testing.T, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", g.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	// What hangs is cut off when the test's patience is over, or the test.
	ctx, cancel := wait.Context(t)
	t.Cleanup(cancel)
	context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn
}

// untilClosed reads until the server closes the connection.
func untilClosed(conn net.Conn) (string, error) {
	got, err := io.ReadAll(conn)
	if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
		return "", fmt.Errorf("the server keeps the connection open; it sent %q", got)
	}
	return string(got), nil
}

func TestShippedTimeoutsEndWhatHangsAndLeaveEventStreamsAlone(t *testing.T) {
	d := newFakeBackend(t)
	more, gone := make(chan struct{}), make(chan struct{})
	leave := sync.OnceFunc(func() { close(gone) })
	var streams atomic.Int32
	d.engine(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		if streams.Add(1) == 1 {
			_, _ = io.WriteString(w, "id: 1\ndata: {}\n\n")
			_ = http.NewResponseController(w).Flush()
			<-more
			_, _ = io.WriteString(w, "id: 2\ndata: {}\n\n")
			return
		}
		defer leave()
		flood(w, r)
	})
	key := d.key("k", "")
	g := shipped(t, d)
	head := func(method, path string) string {
		return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nX-API-Key: %s\r\n", method, path, g.addr, key)
	}
	const events = "/v1/generate/" + testJob + "/events"

	stream := bufio.NewReader(g.dial(t, head("GET", events)+"\r\n"))
	until := func(mark string) {
		t.Helper()
		for {
			line, err := stream.ReadString('\n')
			if err != nil {
				t.Fatalf("the stream was cut before %q: %v", mark, err)
			}
			if strings.HasPrefix(line, mark) {
				return
			}
		}
	}
	until("id: 1")

	// Each of these lasts a whole timeout, and the stream is silent all along: they
	// hang together.
	g.dial(t, head("GET", strings.Replace(events, testJob, otherJob, 1))+"\r\n") // whose client reads nothing
	body := head("POST", "/v1/generate") + "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
	var hanging sync.WaitGroup
	for _, hang := range []struct{ name, sent, trickles, answer string }{
		{"headers that never end", head("GET", "/v1/projects"), "", ""},
		{"a body that never ends", body + "{", "", "HTTP/1.1 4"},
		{"a body that trickles", body, " ", "HTTP/1.1 4"},
		{"a connection without a further request", head("GET", "/v1/projects") + "\r\n", "", "HTTP/1.1 200"},
	} {
		conn := g.dial(t, hang.sent)
		closed := make(chan struct{})
		hanging.Go(func() {
			defer close(closed)
			if got, err := untilClosed(conn); err != nil || !strings.HasPrefix(got, hang.answer) {
				t.Errorf("%s: %v, it is answered %q", hang.name, err, got)
			}
		})
		if hang.trickles != "" {
			hanging.Go(func() { trickle(conn, hang.trickles, closed) })
		}
	}
	hanging.Wait()
	wait.For(t, "the engine no longer writes to a client that does not read", gone)

	close(more)
	until("id: 2")
}

// flood sends large events until the client is gone.
func flood(w io.Writer, r *http.Request) {
	event := "id: %d\ndata: " + strings.Repeat("x", 32<<10) + "\n\n"
	for id := 1; r.Context().Err() == nil; id++ {
		if _, err := fmt.Fprintf(w, event, id); err != nil {
			return
		}
	}
}

// trickle sends text again and again until closed is.
func trickle(conn io.Writer, text string, closed <-chan struct{}) {
	tick := time.NewTicker(hurried / 10)
	defer tick.Stop()
	for {
		select {
		case <-closed:
			return
		case <-tick.C:
			_, _ = io.WriteString(conn, text)
		}
	}
}
