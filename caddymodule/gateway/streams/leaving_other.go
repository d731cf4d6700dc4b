//go:build !linux

package streams

import "net"

// watch has leave called when the other side of a connection ends it.
func watch(conn net.Conn, leave func()) (unwatch func()) { return watchAlone(conn, leave) }
