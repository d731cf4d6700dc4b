package streams

import (
	"errors"
	"fmt"
	"net"
	"reflect"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// errNoFile is the error of a connection behind which no file is to be seen.
var errNoFile = errors.New("the connection has no file")

// watch has gone called when the client ends its connection, unless unwatch was called
// before, which must be while the connection is open.
func (c *connection) watch() (unwatch func()) {
	if file, err := fileOf(c.conn); err == nil {
		if unwatch, err = leaving.watch(file, c.gone); err == nil {
			return unwatch
		}
	}
	return c.watchAlone()
}

// leaving tells of all connections, with one goroutine, that the other side ended them.
// One that reads each would take as much memory as the rest of a stream.
var leaving departures

type departures struct {
	start sync.Once
	err   error // of the start
	poll  int   // the kernel's list

	mu    sync.Mutex // guards the following fields
	last  uint64
	leave map[uint64]func() // by what the kernel calls a connection
}

// watch has leave, which must not panic, called when the other side ends a connection.
func (d *departures) watch(file syscall.RawConn, leave func()) (unwatch func(), err error) {
	d.start.Do(func() {
		d.leave = make(map[uint64]func())
		if d.poll, d.err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); d.err == nil {
			go d.run()
		}
	})
	if d.err != nil {
		return nil, fmt.Errorf("watching connections: %w", d.err)
	}
	d.mu.Lock()
	d.last++
	id := d.last
	d.leave[id] = leave
	d.mu.Unlock()
	event := unix.EpollEvent{Events: unix.EPOLLRDHUP | unix.EPOLLONESHOT, Fd: int32(uint32(id)), Pad: int32(uint32(id >> 32))}
	control := func(op int) (err error) {
		outer := file.Control(func(fd uintptr) { err = unix.EpollCtl(d.poll, op, int(fd), &event) })
		return errors.Join(outer, err)
	}
	if err := control(unix.EPOLL_CTL_ADD); err != nil {
		d.take(id)
		return nil, fmt.Errorf("watching a connection: %w", err)
	}
	return func() {
		_ = control(unix.EPOLL_CTL_DEL) // the kernel forgets one that is closed by itself
		d.take(id)
	}, nil
}

// take returns whom to tell about a connection, once.
func (d *departures) take(id uint64) func() {
	d.mu.Lock()
	defer d.mu.Unlock()
	leave := d.leave[id]
	delete(d.leave, id)
	return leave
}

// run tells as long as the process lives.
func (d *departures) run() {
	events := make([]unix.EpollEvent, 128)
	for {
		n, err := unix.EpollWait(d.poll, events, -1)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return // the list is gone, which nobody does
		}
		for _, e := range events[:max(n, 0)] {
			if leave := d.take(uint64(uint32(e.Fd)) | uint64(uint32(e.Pad))<<32); leave != nil {
				leave()
			}
		}
	}
}

// fileOf returns the file of a connection, or of the one that it wraps, as crypto/tls
// does, or embeds, as Caddy and svc_connections do. Caddy's http2Conn, of a server that
// speaks HTTP/1.1 alone, has no method that leads to what it embeds. Where a connection is
// another one, a stream costs a goroutine: TestNoStreamAtRestHasAGoroutine in caddymodule.
func fileOf(conn net.Conn) (syscall.RawConn, error) {
	for {
		if c, ok := conn.(syscall.Conn); ok {
			return c.SyscallConn()
		}
		inner := embedded(conn)
		if wrapper, ok := conn.(interface{ NetConn() net.Conn }); ok {
			inner = wrapper.NetConn()
		}
		if inner == nil {
			return nil, errNoFile
		}
		conn = inner
	}
}

func embedded(conn net.Conn) net.Conn {
	outer := reflect.Indirect(reflect.ValueOf(conn))
	if outer.Kind() != reflect.Struct {
		return nil
	}
	field, ok := outer.Type().FieldByName("Conn")
	if !ok || !field.Anonymous {
		return nil
	}
	inner, _ := outer.FieldByIndex(field.Index).Interface().(net.Conn)
	return inner
}
