package caddymodule_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"testing"

	"github.com/svc-games/svc/test/wait"
)

// TestBodiesOfOneUserDoNotFillTheMemory has one key send bodies that lack their
// last byte, more of them than there is room for.
func TestBodiesOfOneUserDoNotFillTheMemory(t *testing.T) {
	const size, room = 8 << 20, 64 << 20
	d := newDesk(t)
	greedy, other := d.key("greedy", ""), d.key("other", "")
	g := d.gateway(t, fmt.Sprintf(chainWithRate, ""))
	answers := make(chan *http.Response, room/size+1)
	body := bytes.Repeat([]byte(" "), size-1)
	conns := make([]net.Conn, room/size+1)
	for i := range conns {
		conn, err := net.Dial("tcp", g.addr)
		if err != nil {
			t.Fatal(err)
		}
		conns[i] = conn
		t.Cleanup(func() { _ = conn.Close() })
		go func() {
			_, _ = fmt.Fprintf(conn, "POST /v1/projects HTTP/1.1\r\nHost: %s\r\nX-API-Key: %s\r\nContent-Length: %d\r\n\r\n", g.addr, greedy, size)
			_, _ = conn.Write(body) // fails when it was refused
		}()
		go func() {
			if resp, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil {
				answers <- resp
			}
		}()
	}
	resp := wait.For(t, fmt.Sprintf("one of %d bodies of %d bytes, of one key, is refused", len(conns), size), answers)
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
		t.Errorf("the answer is %d, Retry-After %q", resp.StatusCode, resp.Header.Get("Retry-After"))
	}
	if a := g.send("POST", "/v1/projects", other, "no JSON"); a.StatusCode != http.StatusBadRequest {
		t.Errorf("another user gets %d %s, want the 400 of a body that was read", a.StatusCode, a.body)
	}
}
