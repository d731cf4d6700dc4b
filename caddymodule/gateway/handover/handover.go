// Package handover has servers that listen on one address one after the other lose no
// connection, as a reload of Caddy replaces a server by the next.
//
// Two things lose them. Each server opens a socket of its own (SO_REUSEPORT); the kernel
// gives connections to both, and resets those that wait in the old one when it closes.
// And net/http's Shutdown leaves a connection unanswered whose first request comes after
// it. So the first socket stays and alone gets connections, and the newest server gets
// them from it; a connection moves on to it until a server has read from it. What is left
// to clients is what HTTP leaves to them, that a connection may close between two
// requests; and TLS, whose handshake is a beginning: a connection stays where it was.
package handover

import (
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// settle is how long a server goes on that a newer one has taken the place of: what it
// has read the beginning of, it then has the whole request of.
const settle = 50 * time.Millisecond

// sockets are those that servers listen on.
type sockets struct {
	mu sync.Mutex
	by map[string]*socket // by address; guarded by mu, and so is what they contain
}

// open are those of this process.
var open = sockets{by: make(map[string]*socket)}

// socket is what servers on one address share.
type socket struct {
	net.Listener

	servers []*Listener              // the newest last
	newest  atomic.Pointer[Listener] // nil once there is none
	changed chan struct{}            // closed with the next change of servers
}

// accepted is what a call of Accept returns.
type accepted struct {
	conn net.Conn
	err  error
}

// Wrap returns a server's share of the socket on an address, which is l if there is no
// other; else l is closed, and the server waits for TakeOver, or for the end of the
// others. The socket closes with the last of its servers. l is one of TCP.
func Wrap(l net.Listener) (*Listener, error) {
	server := &Listener{accepted: make(chan accepted), closed: make(chan struct{})}
	another, err := open.join(l, server)
	if err != nil {
		return nil, err
	}
	if another {
		_ = l.Close() // nothing waits in it
	}
	return server, nil
}

// join has a server share a socket.
func (o *sockets) join(l net.Listener, server *Listener) (another bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.by[l.Addr().String()]
	another = s != nil
	if !another {
		if err := firstAlone(l.Addr()); err != nil {
			return false, fmt.Errorf("have the first socket on %s get all connections: %w", l.Addr(), err)
		}
		s = &socket{Listener: l, changed: make(chan struct{})}
		o.by[l.Addr().String()] = s
		go s.accept()
	}
	server.socket = s
	s.change(slices.Insert(s.servers, 0, server))
	return another, nil
}

// Settle returns when the servers that newer ones have taken the place of may shut down.
func Settle() {
	open.mu.Lock()
	several := false
	for _, s := range open.by {
		several = several || len(s.servers) > 1
	}
	open.mu.Unlock()
	if several {
		time.Sleep(settle)
	}
}

// change sets who listens. The caller holds the lock.
func (s *socket) change(servers []*Listener) {
	s.servers = servers
	var newest *Listener
	if n := len(servers); n > 0 {
		newest = servers[n-1]
	}
	s.newest.Store(newest)
	close(s.changed)
	s.changed = make(chan struct{})
}

// accept gives the servers what comes in, as long as there are any.
func (s *socket) accept() {
	for {
		conn, err := s.Accept()
		if s.give(accepted{conn, err}, nil) {
			continue
		}
		if conn != nil {
			_ = conn.Close() // nobody listens
		}
		return
	}
}

// give has the newest server accept a connection. It returns false if that is the one
// who gives, or if there is none.
func (s *socket) give(a accepted, from *Listener) bool {
	for {
		open.mu.Lock()
		newest, changed := s.newest.Load(), s.changed
		open.mu.Unlock()
		if newest == nil || newest == from {
			return false
		}
		select {
		case newest.accepted <- a:
			return true
		case <-changed:
		}
	}
}

// Listener is one server's share of a socket.
type Listener struct {
	*socket

	accepted chan accepted
	closed   chan struct{}
}

// TakeOver makes the server the newest: it gets all connections from now on.
func (l *Listener) TakeOver() {
	open.mu.Lock()
	defer open.mu.Unlock()
	if i := slices.Index(l.servers, l); i >= 0 {
		l.change(append(slices.Delete(l.servers, i, i+1), l))
	}
}

// Accept returns the next connection for this server.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case a := <-l.accepted:
		switch c := a.conn.(type) {
		case *net.TCPConn:
			return &Conn{TCPConn: c, server: l}, nil
		case *Conn:
			c.server = l
			_ = c.SetDeadline(time.Time{}) // the other server's
		}
		return a.conn, a.err
	case <-l.closed:
		return nil, &net.OpError{Op: "accept", Net: l.Addr().Network(), Addr: l.Addr(), Err: net.ErrClosed}
	}
}

// Close takes the server from the socket, and closes that with the last of them.
func (l *Listener) Close() error {
	open.mu.Lock()
	i := slices.Index(l.servers, l)
	if i < 0 {
		open.mu.Unlock()
		return net.ErrClosed
	}
	close(l.closed)
	l.change(slices.Delete(l.servers, i, i+1))
	last := len(l.servers) == 0
	if last {
		delete(open.by, l.Addr().String())
	}
	open.mu.Unlock()
	if last {
		return l.Listener.Close()
	}
	return nil
}
