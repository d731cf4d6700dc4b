package streams

import (
	"errors"
	"io"
	"net"
	"syscall"
)

// errNoFile is the error of a connection behind which no file is to be seen.
var errNoFile = errors.New("the connection has no file")

// watch has leave called when the other side of a connection ends it, unless unwatch was
// called before, which must be while the connection is open.
func watch(conn net.Conn, leave func()) (unwatch func()) {
	if file, err := fileOf(conn); err == nil {
		if unwatch, err = leaving.watch(file, leave); err == nil {
			return unwatch
		}
	}
	go func() { // it ends with the connection
		_, _ = io.Copy(io.Discard, conn)
		leave()
	}()
	return func() {}
}

// fileOf returns the file of a connection, or of the one that it wraps.
func fileOf(conn net.Conn) (syscall.RawConn, error) {
	for {
		if c, ok := conn.(syscall.Conn); ok {
			return c.SyscallConn()
		}
		wrapper, ok := conn.(interface{ NetConn() net.Conn })
		if !ok {
			return nil, errNoFile
		}
		conn = wrapper.NetConn()
	}
}
