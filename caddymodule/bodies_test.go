package caddymodule_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"testing"

	"github.com/svc-games/svc/test/wait"
)

// TestBodiesOfOneUserDoNotFillTheMemory has one key send bodies that lack their
// last byte, twice as many as there is room for: of a body that is refused enough
// must be to come for the 256 KiB that net/http waits for before it answers.
func TestBodiesOfOneUserDoNotFillTheMemory(t *testing.T) {
	const size, room = 8 << 20, 64 << 20
	d := newFakeBackend(t)
	greedy, other := d.key("greedy", ""), d.key("other", "")
	g := d.gateway(t, fmt.Sprintf(chainWithRate, ""))
	answers := make(chan *http.Response, 2*room/size)
	body := bytes.Repeat([]byte(" "), size-1)
	// The answer to a body that is still being sent may be lost with its
	// connection: the body is sent on another one.
	for range 2 * room / size {
		go func() {
			for t.Context().Err() == nil {
				if resp := sendShort(t, g.addr, greedy, body); resp != nil {
					answers <- resp
					return
				}
			}
		}()
	}
	resp := wait.For(t, fmt.Sprintf("one of %d bodies of %d bytes, of one key, is refused", 2*room/size, size), answers)
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
		t.Errorf("the answer is %d, Retry-After %q", resp.StatusCode, resp.Header.Get("Retry-After"))
	}
	if a := g.send("POST", "/v1/projects", other, "no JSON"); a.StatusCode != http.StatusBadRequest {
		t.Errorf("another user gets %d %s, want the 400 of a body that was read", a.StatusCode, a.body)
	}
}

// sendShort sends a body that lacks its last byte and returns the answer, nil when
// the connection is closed without one. It is closed with the test.
func sendShort(t *testing.T, addr, key string, body []byte) *http.Response {
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr)
	if err != nil {
		return nil
	}
	context.AfterFunc(t.Context(), func() { _ = conn.Close() })
	go func() {
		_, _ = fmt.Fprintf(conn, "POST /v1/projects HTTP/1.1\r\nHost: %s\r\nX-API-Key: %s\r\nContent-Length: %d\r\n\r\n", addr, key, len(body)+1)
		_, _ = conn.Write(body) // fails when it was refused
	}()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return nil
	}
	return resp
}
