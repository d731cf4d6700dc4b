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
// stall is gone; 0: it never is. broke is told of a bug in leave, which ends the stream. After
// a whole stream server goes on with the connection; nil: it is closed. It must be an answer
// of HTTP/1.1. false: the connection can't be had, and nothing has changed.
func (w *Writer) Detach(ctx context.Context, server *http.Server, stall time.Duration, leave func(), broke func(error)) bool {
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
	hijacker, ok := innermost(from).(http.Hijacker)
	if !ok {
		return false
	}
	conn, read, err := hijacker.Hijack()
	if err != nil {
		return false
	}
	c := &connection{conn: conn, stall: stall, leave: leave, broke: broke}
	if read.Reader.Buffered() == 0 { // else a part of the next request is lost
		c.server = server
	}
	c.unwatch = c.watch()
	w.ctx, w.detached = ctx, c
	w.to.Store(&client{c})
	return true
}

// watchAlone has gone called when the client ends its connection, by a goroutine that reads
// it, and what would be the next request, and ends with it.
func (c *connection) watchAlone() (unwatch func()) {
	c.server = nil
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
		if _, err := io.WriteString(c.conn, "0\r\n\r\n"); err == nil && c.handBack() { // else the client left
			return
		}
	}
	_ = c.conn.Close() // nobody waits for it
}

// handBack has the server go on with the connection, unless something may still be done to
// it. Were it closed instead, the stream would have to say so at its beginning, and clients
// that hear it (undici, hence fetch of Node) take a stream that was cut for a whole one.
func (c *connection) handBack() bool {
	c.ending.Lock()
	defer c.ending.Unlock()
	if c.server == nil || c.hurried.Load() || c.conn.SetDeadline(time.Time{}) != nil {
		return false
	}
	c.back = serveOn(c.server, c.conn)
	return c.back
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
	server  *http.Server  // goes on with it, nil: none

	ending sync.Mutex // guards back, and that it is not hurried afterwards
	back   bool       // the server has it
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
	c.ending.Lock()
	defer c.ending.Unlock()
	if c.back {
		return net.ErrClosed
	}
	c.hurried.Store(true)
	return c.conn.SetWriteDeadline(at)
}

// serveOn has a server go on with a connection that was taken away from it, as with a new
// one. false: it serves none any more.
func serveOn(server *http.Server, conn net.Conn) bool {
	l := &handback{conn: conn, addr: conn.LocalAddr()}
	_ = server.Serve(l) // says that there is no other one
	return l.conn == nil
}

// handback is a listener of one connection.
type handback struct {
	conn net.Conn // until it is accepted
	addr net.Addr
}

func (l *handback) Accept() (conn net.Conn, err error) {
	if l.conn == nil {
		return nil, io.EOF
	}
	conn, l.conn = l.conn, nil
	return conn, nil
}

func (l *handback) Close() error { return nil }

func (l *handback) Addr() net.Addr { return l.addr }

// Interface guards
var (
	_ http.ResponseWriter = (*connection)(nil)
	_ net.Listener        = (*handback)(nil)
)
