package handover

import (
	"io"
	"net"
	"slices"
	"sync/atomic"
	"time"
)

// conn is a connection that moves on to a newer server when one listens by the time
// that its first bytes come in.
type conn struct {
	*net.TCPConn

	server *listener
	unread []byte      // what came in while an older server had it
	begun  bool        // this server has read; who reads is one at a time
	gone   atomic.Bool // a newer server has it
}

// Read returns what comes in, or io.EOF once a newer server has the connection.
func (c *conn) Read(p []byte) (n int, err error) {
	if c.gone.Load() { // net/http asks again
		return 0, io.EOF
	}
	if len(c.unread) > 0 {
		n = copy(p, c.unread)
		c.unread = c.unread[n:]
	} else {
		n, err = c.TCPConn.Read(p)
	}
	if c.begun || n == 0 || err != nil {
		return n, err
	}
	c.begun = true
	if c.moveOn(p[:n]) {
		return 0, io.EOF
	}
	return n, nil
}

// moveOn gives the connection, and what was read, to a newer server if there is one.
func (c *conn) moveOn(read []byte) bool {
	moved := &conn{TCPConn: c.TCPConn, unread: slices.Concat(read, c.unread)}
	c.gone.Store(true)
	if c.server.give(accepted{conn: moved}, c.server) {
		return true
	}
	c.gone.Store(false)
	return false
}

// WriteTo copies by Read.
func (c *conn) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, struct{ io.Reader }{c})
}

// Close leaves the connection open that a newer server has; so do the deadlines.
func (c *conn) Close() error {
	if c.gone.Load() {
		return nil
	}
	return c.TCPConn.Close()
}

// SetDeadline implements net.Conn.
func (c *conn) SetDeadline(t time.Time) error {
	if c.gone.Load() {
		return nil
	}
	return c.TCPConn.SetDeadline(t)
}

// SetReadDeadline implements net.Conn.
func (c *conn) SetReadDeadline(t time.Time) error {
	if c.gone.Load() {
		return nil
	}
	return c.TCPConn.SetReadDeadline(t)
}

// SetWriteDeadline implements net.Conn.
func (c *conn) SetWriteDeadline(t time.Time) error {
	if c.gone.Load() {
		return nil
	}
	return c.TCPConn.SetWriteDeadline(t)
}
