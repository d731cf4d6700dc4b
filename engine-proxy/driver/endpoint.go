package driver

// Networks of an Endpoint.
const (
	Unix = "unix"
	TCP  = "tcp" // with mutual TLS, never without
)

// Endpoint is where an engine listens.
type Endpoint struct {
	Network string // Unix or TCP
	Address string // the socket's path, or host:port
}

// UnixEndpoint is a Unix socket.
func UnixEndpoint(path string) Endpoint { return Endpoint{Network: Unix, Address: path} }

// TCPEndpoint is an address of the network.
func TCPEndpoint(hostPort string) Endpoint { return Endpoint{Network: TCP, Address: hostPort} }

// IsZero reports whether the endpoint is not known.
func (e Endpoint) IsZero() bool { return e.Address == "" }
