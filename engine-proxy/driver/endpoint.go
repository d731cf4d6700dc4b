package driver

import "path/filepath"

// Networks of an Endpoint.
const (
	Unix = "unix"
	TCP  = "tcp" // with mutual TLS, never without
)

// Endpoint is where an engine listens.
type Endpoint struct {
	Network string // Unix or TCP
	Address string // the socket's path, or host:port
	// Proven: the engine of no other start ever listens there. That a connection is made
	// proves which instance is at its other end.
	Proven bool
}

// UnixEndpoint is a Unix socket.
func UnixEndpoint(path string) Endpoint { return Endpoint{Network: Unix, Address: path} }

// OwnEndpoint is the Unix socket of an instance of this machine. It is proven if it has
// the name of the instance's start, which those of former versions had not.
func OwnEndpoint(path string, of Incarnation) Endpoint {
	return Endpoint{Network: Unix, Address: path, Proven: of.Generation > 0 && filepath.Base(path) == of.SocketName()}
}

// TCPEndpoint is an address of the network.
func TCPEndpoint(hostPort string) Endpoint { return Endpoint{Network: TCP, Address: hostPort} }

// IsZero reports whether the endpoint is not known.
func (e Endpoint) IsZero() bool { return e.Address == "" }
