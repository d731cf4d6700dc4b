package peer

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"

	"golang.org/x/sys/unix"
)

type callerKey struct{}

// caller is who is at the other end of a connection, or why that is unknown.
type caller struct {
	uid uint32
	err error
}

// withCaller keeps the caller in the context of a Unix connection's requests.
func withCaller(ctx context.Context, c net.Conn) context.Context {
	uc, ok := c.(*net.UnixConn)
	if !ok {
		return ctx
	}
	uid, err := peerUID(uc)
	return context.WithValue(ctx, callerKey{}, caller{uid, err})
}

// peerUID asks the kernel whose process connected.
func peerUID(c *net.UnixConn) (uint32, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Ucred
	var credErr error
	if err := raw.Control(func(fd uintptr) {
		cred, credErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return 0, err
	}
	if credErr != nil {
		return 0, credErr
	}
	return cred.Uid, nil
}

// CallerBears reports whether the certificate of who sent a request over TCP bears one
// of the names. It is false on a Unix socket.
func CallerBears(r *http.Request, names []string) bool {
	return r.TLS != nil && verifyName(*r.TLS, names) == nil
}

// Caller returns who sent a request to a Server, as audit logs name it:
// uid:1000 on a Unix socket, cert:NAME over TCP. It returns an error for a
// user who may not ask.
func Caller(r *http.Request) (string, error) {
	if r.TLS != nil {
		if len(r.TLS.PeerCertificates) == 0 || len(r.TLS.PeerCertificates[0].DNSNames) == 0 {
			return "", errors.New("the peer shows no certificate with a name")
		}
		return "cert:" + r.TLS.PeerCertificates[0].DNSNames[0], nil
	}
	c, ok := r.Context().Value(callerKey{}).(caller)
	if !ok {
		return "", errors.New("the peer has no known identity")
	}
	if c.err != nil {
		return "", fmt.Errorf("finding out who asks: %w", c.err)
	}
	if c.uid != 0 && int(c.uid) != os.Geteuid() {
		return "", fmt.Errorf("user %d may not ask this service", c.uid)
	}
	return fmt.Sprintf("uid:%d", c.uid), nil
}
