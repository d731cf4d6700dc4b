package streams

import (
	"errors"
	"net"
	"reflect"
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
		var nothing [1]byte
		for {
			if _, err := conn.Read(nothing[:]); err != nil {
				leave()
				return
			}
		}
	}()
	return func() {}
}

// fileOf returns the file of a connection, or of the one that it wraps, as crypto/tls
// does, or embeds, as Caddy and svc_connections do.
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
