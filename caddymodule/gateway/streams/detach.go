package streams

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/svc-games/svc/api/sse"
)

// Detach takes the connection of a stream that has begun away from the HTTP server, for a
// goroutine of the caller's: the server then gives back what it keeps of a request. From
// then on ctx is the stream's, leave is called when the client leaves, and Close must be
// called. It must be an answer of HTTP/1.1. false: the connection can't be had, and nothing
// has changed.
func (w *Writer) Detach(ctx context.Context, leave func()) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	from := w.answers()
	header := from.Header()
	if w.sent != http.StatusOK || w.ended || header.Get("Content-Encoding") != "" || header.Get("Content-Length") != "" {
		return false
	}
	if http.NewResponseController(from).Flush() != nil {
		return false
	}
	server, ok := innermost(from).(http.Hijacker)
	if !ok {
		return false
	}
	conn, _, err := server.Hijack()
	if err != nil {
		return false
	}
	w.ctx, w.detached = ctx, &connection{conn: conn, unwatch: watch(conn, leave)}
	w.to.Store(&client{w.detached})
	return true
}

// innermost returns the server's own writer: a wrapper's connection would keep the
// wrapper, and by it the request.
func innermost(w http.ResponseWriter) http.ResponseWriter {
	for {
		wrapper, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return w
		}
		w = wrapper.Unwrap()
	}
}

// Close ends a detached stream: its body is whole, or broken off.
func (w *Writer) Close(whole bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.detached
	c.unwatch()
	if whole {
		_ = c.conn.SetWriteDeadline(time.Now().Add(endTimeout))
		_, _ = io.WriteString(c.conn, "0\r\n\r\n") // else the client left
	}
	_ = c.conn.Close() // nobody waits for it
}

// connection is the rest of a chunked answer.
type connection struct {
	conn    net.Conn
	unwatch func()
	out     *bytes.Buffer // what is not sent yet, one of buffers; nil: nothing
	hurried atomic.Bool   // it has a deadline
}

// stalled is how long a client may take nothing of what is sent. Caddy has such a bound
// for its own connections.
const stalled = 2 * sse.DefaultHeartbeat

// buffers are of connections that send.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// keptBuffer is the size, in bytes, of the largest that is kept.
const keptBuffer = 64 << 10

// Header implements http.ResponseWriter. The client has its header.
func (c *connection) Header() http.Header { return http.Header{} }

// WriteHeader implements http.ResponseWriter. The client has its status.
func (c *connection) WriteHeader(int) {}

// Write implements http.ResponseWriter. FlushError sends what was written.
func (c *connection) Write(p []byte) (int, error) {
	if len(p) == 0 { // such a chunk would be the last
		return 0, nil
	}
	if c.out == nil {
		c.out = buffers.Get().(*bytes.Buffer)
	}
	fmt.Fprintf(c.out, "%x\r\n", len(p))
	c.out.Write(p)
	c.out.WriteString("\r\n")
	return len(p), nil
}

// FlushError implements what http.ResponseController looks for.
func (c *connection) FlushError() error {
	if c.out == nil {
		return nil
	}
	if !c.hurried.Load() {
		_ = c.conn.SetWriteDeadline(time.Now().Add(stalled)) // else it is closed
		if c.hurried.Load() {                                // meanwhile
			_ = c.conn.SetWriteDeadline(time.Now().Add(endTimeout))
		}
	}
	_, err := c.conn.Write(c.out.Bytes())
	if c.out.Reset(); c.out.Cap() <= keptBuffer {
		buffers.Put(c.out)
	}
	c.out = nil
	return err
}

// SetWriteDeadline implements what http.ResponseController looks for.
func (c *connection) SetWriteDeadline(at time.Time) error {
	c.hurried.Store(true)
	return c.conn.SetWriteDeadline(at)
}

// Interface guards
var _ http.ResponseWriter = (*connection)(nil)
