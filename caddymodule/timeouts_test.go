package caddymodule_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/svc-games/svc/test/freeport"
)

// hurried is what every timeout of the shipped Caddyfile becomes, so that
// these tests need not wait for it. A busy machine may take a while to send what
// is to arrive within it.
const hurried = 5 * time.Second

// shipped runs the shipped Caddyfile in front of a desk, in a hurry.
func shipped(t *testing.T, d *desk) *gatewayOf {
	t.Helper()
	g := &gatewayOf{desk: d, t: t, addr: freeport.Address(t)}
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
	if err := json.Unmarshal(onDesk(t, config), &tree); err != nil {
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
func (g *gatewayOf) dial(t *testing.T, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", g.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn
}

// untilClosed reads until the server closes the connection.
func untilClosed(t *testing.T, conn net.Conn) string {
	t.Helper()
	got, err := io.ReadAll(conn)
	if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
		t.Fatalf("the server keeps the connection open; it sent %q", got)
	}
	return string(got)
}

func TestShippedTimeoutsEndWhatHangsAndLeaveEventStreamsAlone(t *testing.T) {
	d := newDesk(t)
	more := make(chan struct{})
	d.engine(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "id: 1\ndata: {}\n\n")
		_ = http.NewResponseController(w).Flush()
		<-more
		_, _ = io.WriteString(w, "id: 2\ndata: {}\n\n")
	})
	key := d.key("k", "")
	g := shipped(t, d)
	head := func(method, path string) string {
		return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nX-API-Key: %s\r\n", method, path, g.addr, key)
	}

	stream := bufio.NewReader(g.dial(t, head("GET", "/v1/generate/"+testJob+"/events")+"\r\n"))
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

	// Each of these lasts a whole timeout, and the stream is silent all along.
	t.Run("what hangs", func(t *testing.T) {
		for name, hang := range map[string]func(t *testing.T){
			"headers that never end": func(t *testing.T) {
				untilClosed(t, g.dial(t, head("GET", "/v1/projects")))
			},
			"a body that never ends": func(t *testing.T) {
				conn := g.dial(t, head("POST", "/v1/generate")+"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
				if got := untilClosed(t, conn); !strings.HasPrefix(got, "HTTP/1.1 4") {
					t.Errorf("it is answered %q", got)
				}
			},
			"a body that trickles": func(t *testing.T) {
				conn := g.dial(t, head("POST", "/v1/generate")+"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n")
				closed := make(chan string, 1)
				go func() {
					got, _ := io.ReadAll(conn)
					closed <- string(got)
				}()
				tick := time.NewTicker(hurried / 10)
				defer tick.Stop()
				for {
					select {
					case got := <-closed:
						if !strings.HasPrefix(got, "HTTP/1.1 4") {
							t.Errorf("it is answered %q", got)
						}
						return
					case <-tick.C:
						_, _ = io.WriteString(conn, " ")
					}
				}
			},
			"a connection without a further request": func(t *testing.T) {
				if got := untilClosed(t, g.dial(t, head("GET", "/v1/projects")+"\r\n")); !strings.HasPrefix(got, "HTTP/1.1 200") {
					t.Errorf("it is answered %q", got)
				}
			},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel() // with each other; the group waits for all
				hang(t)
			})
		}
	})

	close(more)
	until("id: 2")
}

func TestAStreamWhoseClientStopsReadingIsGivenUp(t *testing.T) {
	d := newDesk(t)
	gone := make(chan struct{})
	d.engine(t, func(w http.ResponseWriter, r *http.Request) {
		defer close(gone)
		w.Header().Set("Content-Type", "text/event-stream")
		event := "id: 1\ndata: " + strings.Repeat("x", 32<<10) + "\n\n"
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, event); err != nil {
				return
			}
		}
	})
	key := d.key("k", "")
	g := shipped(t, d)
	g.dial(t, fmt.Sprintf("GET /v1/generate/%s/events HTTP/1.1\r\nHost: %s\r\nX-API-Key: %s\r\n\r\n", testJob, g.addr, key))
	select {
	case <-gone:
	case <-time.After(patience):
		t.Error("the engine still writes to a client that does not read")
	}
}
