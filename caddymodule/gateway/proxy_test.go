package gateway

import (
	"bufio"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/test/keep"
)

// passes sends a submission that waits for 100 Continue by PassTo to what answers at a
// Unix socket, and returns how it ended.
func passes(t *testing.T, answer func(conn net.Conn, r *bufio.Reader)) (*httptest.ResponseRecorder, error) {
	t.Helper()
	path := filepath.Join(keep.Dir(t), "e.sock")
	if answer != nil {
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			r := bufio.NewReader(conn)
			if _, err := http.ReadRequest(r); err == nil {
				answer(conn, r)
			}
		}()
	}
	q := &Request{Lease: &engineproxy.Lease{Endpoint: engineproxy.Endpoint{Network: "unix", Address: path}}}
	r := httptest.NewRequest(http.MethodPost, "/v1/generate", strings.NewReader("what is asked for"))
	r.Header.Set("Expect", "100-continue")
	w := httptest.NewRecorder()
	return w, PassTo(q, log.New(io.Discard, "", 0))(w, r)
}

func TestABrowsersSubmissionWaitsForTheEngineToo(t *testing.T) {
	got := make(chan string, 1)
	w, err := passes(t, func(conn net.Conn, r *bufio.Reader) {
		_, _ = io.WriteString(conn, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		rest, _ := io.ReadAll(r)
		got <- string(rest)
	})
	if rest := <-got; rest != "" || err != nil || w.Code != http.StatusUnauthorized {
		t.Errorf("an engine that refused got %q; %d, %v", rest, w.Code, err)
	}
}

// A lost answer is not that nothing was sent: the engine may have the job, and is asked.
func TestOnlyAConnectionThatWasNotMadeSentNothing(t *testing.T) {
	if _, err := passes(t, nil); !errors.Is(err, ErrNotSent) {
		t.Errorf("nobody listens: %v, want ErrNotSent", err)
	}
	_, err := passes(t, func(conn net.Conn, r *bufio.Reader) {
		_, _ = io.WriteString(conn, "HTTP/1.1 100 Continue\r\n\r\n")
		_, _ = io.ReadFull(r, make([]byte, len("what is asked for")))
	})
	if err == nil || errors.Is(err, ErrNotSent) {
		t.Errorf("an answer that was lost: %v", err)
	}
}
