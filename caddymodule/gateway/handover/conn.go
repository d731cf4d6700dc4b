package handover

import (
	"io"
	"net"
	"slices"
	"sync"
	"time"
)

// Conn is a connection that moves on to a newer server when one listens by the time that
// its first bytes come in, or that its own server closes it without any.
type Conn struct {
	*net.TCPConn

	// Moved says that another server had accepted it before.
	Moved bool

	server *Listener
	unread []byte // what came in while an older server had it
	begun  bool   // this server has read; by the goroutine that reads

	mu     sync.Mutex // guards the following
	waits  bool       // for the first bytes
	leaves bool       // its server has closed it while it waited
	gone   bool       // a newer server has it
}

// Read returns what comes in, or io.EOF once a newer server has the connection.
func (c *Conn) Read(p []byte) (n int, err error) {
	if c.begun {
		if c.isGone() { // net/http asks again
			return 0, io.EOF
		}
		return c.next(p)
	}
	c.wait(true)
	n, err = c.next(p)
	leaves := c.wait(false)
	switch {
	case n > 0 && err == nil:
		c.begun = true
	case !leaves:
		return n, err
	}
	if c.server.newest.Load() != c.server && c.moveOn(p[:n]) {
		c.begun = true
		return 0, io.EOF
	}
	return n, err
}

// next reads what was not read, or what comes in.
func (c *Conn) next(p []byte) (n int, err error) {
	if len(c.unread) == 0 {
		return c.TCPConn.Read(p)
	}
	n = copy(p, c.unread)
	c.unread = c.unread[n:]
	return n, nil
}

// wait notes whether the connection waits for its first bytes, and returns whether it was
// closed meanwhile.
func (c *Conn) wait(waits bool) (leaves bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waits = waits
	return c.leaves
}

// moveOn gives the connection, and what was read, to a newer server if there is one.
func (c *Conn) moveOn(read []byte) bool {
	c.mu.Lock()
	c.gone = true
	c.mu.Unlock()
	moved := &Conn{TCPConn: c.TCPConn, Moved: true, unread: slices.Concat(read, c.unread)}
	if c.server.give(accepted{conn: moved}, c.server) {
		return true
	}
	c.mu.Lock()
	c.gone = false
	c.mu.Unlock()
	return false
}

func (c *Conn) isGone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gone
}

// WriteTo copies by Read.
func (c *Conn) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, struct{ io.Reader }{c})
}

// Close leaves the connection open that a newer server has. One that waits for its first
// bytes goes on to a newer server: a shutdown closes those that were quiet for long.
func (c *Conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.gone:
		return nil
	case c.waits && !c.leaves && c.server.newest.Load() != c.server && c.server.newest.Load() != nil:
		c.leaves = true
		return c.TCPConn.SetReadDeadline(time.Unix(1, 0)) // wakes who reads
	}
	return c.TCPConn.Close()
}

// SetDeadline implements net.Conn; the deadlines too are those of the server that has
// the connection.
func (c *Conn) SetDeadline(t time.Time) error { return c.deadline(t, c.TCPConn.SetDeadline) }

// SetReadDeadline implements net.Conn.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.deadline(t, c.TCPConn.SetReadDeadline) }

// SetWriteDeadline implements net.Conn.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.deadline(t, c.TCPConn.SetWriteDeadline) }

func (c *Conn) deadline(t time.Time, set func(time.Time) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return nil
	}
	return set(t)
}
