package engineproxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/engineclient"
)

// dialTimeout bounds a connection to an engine, with its handshake.
const dialTimeout = 2 * time.Second

// Endpoint is where a ready engine listens.
type Endpoint struct {
	Network    string `json:"network,omitempty"` // driver.Unix or driver.TCP
	Address    string `json:"address,omitempty"`
	InstanceID string `json:"instanceId"`
	Token      string `json:"token,omitempty"` // the instance's bearer token
	// Proven: the engine of no other start ever listens at the address, so that who reaches
	// one reaches the instance.
	Proven bool `json:"proven,omitempty"`
	// TLS is what both ends prove themselves with over TCP; it is nil on a Unix
	// socket. It holds a key of this process and goes no further.
	TLS *tls.Config `json:"-"`
}

// Dial connects to the engine. After an error nothing was sent: it is a
// *net.OpError of a dial. It is engineclient.ErrIdentity when another instance
// has the address now.
func (e Endpoint) Dial(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, e.Network, e.Address)
	if err != nil || e.Network != driver.TCP {
		return conn, err
	}
	failed := func(err error) (net.Conn, error) {
		if _, ok := errors.AsType[x509.HostnameError](err); ok {
			err = fmt.Errorf("%w: %w", engineclient.ErrIdentity, err)
		}
		return nil, errors.Join(&net.OpError{Op: "dial", Net: e.Network, Addr: conn.RemoteAddr(), Err: err}, conn.Close())
	}
	if e.TLS == nil {
		return failed(errors.New("an engine is never asked over TCP without TLS"))
	}
	secured := tls.Client(conn, e.TLS)
	if err := secured.HandshakeContext(ctx); err != nil {
		return failed(fmt.Errorf("securing the connection: %w", err))
	}
	return secured, nil
}
