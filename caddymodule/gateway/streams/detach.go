package streams

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Detach takes the connection of a stream that has begun away from the HTTP server, which
// then gives back what it keeps of a request. From then on ctx is the stream's, leave is
// called when the client leaves, and Close must be called. A client that takes nothing for
// stall is gone; 0: it never is. broke is told of a bug in leave, which ends the stream. It
// must be an answer of HTTP/1.1. false: the connection can't be had, and nothing has changed.
func (w *Writer) Detach(ctx context.Context, stall time.Duration, leave func(), broke func(error)) bool {
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
	c := &connection{conn: conn, stall: stall, leave: leave, broke: broke}
	c.unwatch = c.watch()
	w.ctx, w.detached = ctx, c
	w.to.Store(&client{c})
	return true
}

// watchAlone has gone called when the client ends its connection, by a goroutine that reads
// it and ends with it.
func (c *connection) watchAlone() (unwatch func()) {
	go func() {
		defer c.survive() // the connection may be another module's
		var nothing [1]byte
		for {
			if _, err := c.conn.Read(nothing[:]); err != nil {
				c.gone()
				return
			}
		}
	}()
	return func() {}
}

// gone is called when the client left.
func (c *connection) gone() {
	defer c.survive()
	c.leave()
}

// survive is deferred by what no server recovers: a bug ends the stream that has it, and
// not the process. What is written next finds that its client is gone.
func (c *connection) survive() {
	p := recover()
	if p == nil {
		return
	}
	_ = c.conn.Close() // nobody waits for it
	c.once.Do(func() { c.broke(fmt.Errorf("letting its client go panicked: %v\n%s", p, debug.Stack())) })
}

// Close ends a detached stream: its body is whole, or broken off.
func (w *Writer) Close(whole bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.detached
	c.unwatch()
	if whole && !c.broken {
		_ = c.conn.SetWriteDeadline(time.Now().Add(endTimeout))
		_, _ = io.WriteString(c.conn, "0\r\n\r\n") // else the client left
	}
	_ = c.conn.Close() // nobody waits for it
}

// connection is the rest of a chunked answer.
type connection struct {
	conn    net.Conn
	stall   time.Duration // how long a client may take nothing, 0 for ever
	leave   func()        // is called when the client left
	broke   func(error)   // is told, once, that this panicked
	once    sync.Once     // of broke
	unwatch func()
	out     *bytes.Buffer // what is not sent yet, one of buffers; nil: nothing
	broken  bool          // a part of it was sent
	hurried atomic.Bool   // it has a deadline
}

// buffers are of connections that send.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const (
	// keptBuffer is the size, in bytes, of the largest that is kept.
	keptBuffer = 64 << 10
	// atOnce is how many bytes are written at once, as Caddy does: a client that takes as
	// many within the time that it has is there.
	atOnce = 64 << 10
)

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
	c.out.Write(strconv.AppendUint(c.out.AvailableBuffer(), uint64(len(p)), 16))
	c.out.WriteString("\r\n")
	c.out.Write(p)
	c.out.WriteString("\r\n")
	return len(p), nil
}

// FlushError implements what http.ResponseController looks for.
func (c *connection) FlushError() (err error) {
	if c.out == nil {
		return nil
	}
	for c.out.Len() > 0 && err == nil {
		c.extend()
		_, err = c.conn.Write(c.out.Next(atOnce))
	}
	if c.out.Reset(); c.out.Cap() <= keptBuffer {
		buffers.Put(c.out)
	}
	c.out = nil
	if err != nil {
		c.broken = true
		c.gone()
	}
	return err
}

// extend gives the client its time again, unless the stream is about to end.
func (c *connection) extend() {
	if c.stall <= 0 || c.hurried.Load() {
		return
	}
	_ = c.conn.SetWriteDeadline(time.Now().Add(c.stall)) // else it is closed
	if c.hurried.Load() {                                // meanwhile
		_ = c.conn.SetWriteDeadline(time.Now().Add(endTimeout))
	}
}

// SetWriteDeadline implements what http.ResponseController looks for. It is the last one.
func (c *connection) SetWriteDeadline(at time.Time) error {
	c.hurried.Store(true)
	return c.conn.SetWriteDeadline(at)
}

// Interface guards
var _ http.ResponseWriter = (*connection)(nil)
