// Package peer is how the parts of the service reach one another: HTTP/1.1
// with keep-alive over a Unix socket or over TCP with mutual TLS, and never
// anything weaker.
//
// A Unix socket belongs to one user. Only that user and root get in, and only
// with the token that lies beside the socket in a file of mode 0600: engines
// may share the user, and a driver that hides files from them does not govern
// to which sockets they connect.
//
// Over TCP both ends show a certificate of one authority, and each checks the
// name in the other's.
package peer

import (
	"fmt"
	"net"
	"strings"
)

// Address is where a part listens.
type Address struct {
	// Network is "unix" or "tcp".
	Network string
	// Name is the socket's path, or host:port.
	Name string
}

// ParseAddress reads an address: host:port, tcp/host:port, the path of a Unix
// socket with at least one slash in it, or unix/path as Caddy writes it
// (unix//run/x.sock is /run/x.sock).
func ParseAddress(s string) (Address, error) {
	if path, ok := strings.CutPrefix(s, "unix/"); ok && path != "" {
		return Address{Network: "unix", Name: path}, nil
	}
	hostPort, tcp := strings.CutPrefix(s, "tcp/")
	if !tcp && strings.Contains(s, "/") && !strings.HasSuffix(s, "/") {
		return Address{Network: "unix", Name: s}, nil
	}
	if _, port, err := net.SplitHostPort(hostPort); err != nil || port == "" || strings.Contains(hostPort, "/") {
		return Address{}, fmt.Errorf("%q is not an address: write host:port, or the path of a Unix socket like ./run/x.sock", s)
	}
	return Address{Network: "tcp", Name: hostPort}, nil
}

// Unix reports whether the address is a Unix socket.
func (a Address) Unix() bool { return a.Network == "unix" }

func (a Address) String() string {
	if a.Unix() {
		return "unix/" + a.Name
	}
	return a.Name
}
