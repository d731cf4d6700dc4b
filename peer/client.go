package peer

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"

	"go.uber.org/zap"
)

// ErrNotListening is returned, wrapped, when nothing listens at the address.
var ErrNotListening = errors.New("nothing listens there")

const (
	// maxIdle is how many connections are kept: more than requests are under
	// way at once under load, or each burst would dial.
	maxIdle = 512
	// clientIdle is how long an unused connection is kept.
	clientIdle = time.Minute
	// dialTimeout bounds a connection with its handshake.
	dialTimeout = 2 * time.Second
)

// ClientOptions of NewClient. Address is required.
type ClientOptions struct {
	Address Address
	// TLS is required for TCP.
	TLS TLS
	// ServerName must be in the server's certificate; default: the address's
	// host.
	ServerName string
	Logger     *zap.Logger // default: none
}

// Client sends requests to the server at one address, whatever host their URL
// names. It connects when it is used, and again when the server was restarted.
// It is safe for concurrent use.
type Client struct {
	address   Address
	transport *http.Transport
	token     atomic.Pointer[readTokenAt] // of a Unix socket, as it was last read
}

// NewClient returns a client. The server need not run yet; files of TLS must
// be there.
func NewClient(o ClientOptions) (*Client, error) {
	o.Logger = cmp.Or(o.Logger, zap.NewNop())
	if o.Address.Unix() {
		return UnixClient(o.Address.Name), nil
	}
	keeper, err := newKeeper(o.TLS, o.Logger)
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", o.Address, err)
	}
	if o.ServerName == "" {
		if o.ServerName, _, err = net.SplitHostPort(o.Address.Name); err != nil {
			return nil, fmt.Errorf("connecting to %s: %w", o.Address, err)
		}
	}
	c := newClient(o.Address)
	c.transport.DialTLSContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		conn, err := c.dial(ctx, "", "")
		if err != nil {
			return nil, err
		}
		secured := tls.Client(conn, keeper.client(o.ServerName))
		ctx, cancel := context.WithTimeout(ctx, dialTimeout)
		defer cancel()
		if err := secured.HandshakeContext(ctx); err != nil {
			return nil, errors.Join(fmt.Errorf("securing the connection to %s: %w", o.Address, err), conn.Close())
		}
		return secured, nil
	}
	return c, nil
}

// UnixClient returns a client of the server at a Unix socket.
func UnixClient(path string) *Client {
	c := newClient(Address{Network: "unix", Name: path})
	c.transport.DialContext = c.dial
	return c
}

func newClient(address Address) *Client {
	return &Client{address: address, transport: &http.Transport{
		MaxIdleConnsPerHost: maxIdle,
		IdleConnTimeout:     clientIdle,
		DisableCompression:  true,
	}}
}

// Address returns where the client connects to.
func (c *Client) Address() Address { return c.address }

// CloseIdle closes the connections that no request uses.
func (c *Client) CloseIdle() { c.transport.CloseIdleConnections() }

func (c *Client) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	d := net.Dialer{Timeout: dialTimeout}
	conn, err := d.DialContext(ctx, c.address.Network, c.address.Name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil, fmt.Errorf("%w: %w", ErrNotListening, err)
	}
	return conn, err
}

// RoundTrip implements http.RoundTripper. An error before anything was sent
// because nothing listens is ErrNotListening.
func (c *Client) RoundTrip(r *http.Request) (*http.Response, error) {
	if !c.address.Unix() {
		return c.transport.RoundTrip(c.addressed(r, "https", c.address.Name))
	}
	token, err := c.tokenNow()
	if err != nil {
		return nil, errors.Join(err, closeBody(r))
	}
	sent := c.addressed(r, "http", "peer")
	sent.Header.Set("Authorization", "Bearer "+token)
	res, err := c.transport.RoundTrip(sent)
	if err != nil || res.StatusCode != http.StatusUnauthorized {
		return res, err
	}
	return c.again(sent, token, res)
}

// again sends a request that was refused for its token with the one that the
// file holds now, if that is another.
func (c *Client) again(r *http.Request, refused string, res *http.Response) (*http.Response, error) {
	token, err := c.readToken()
	if err != nil || token == refused || r.Body != nil && r.GetBody == nil {
		return res, nil
	}
	if err := res.Body.Close(); err != nil {
		return nil, err
	}
	if r.GetBody != nil {
		if r.Body, err = r.GetBody(); err != nil {
			return nil, err
		}
	}
	r.Header.Set("Authorization", "Bearer "+token)
	return c.transport.RoundTrip(r)
}

func (c *Client) addressed(r *http.Request, scheme, host string) *http.Request {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host, r.Host = scheme, host, ""
	return r
}

// readTokenAt is a token and when it was read.
type readTokenAt struct {
	token string
	at    time.Time
}

// tokenNow returns the token of the socket's file, or the last one while there is none to
// be read.
func (c *Client) tokenNow() (string, error) {
	last := c.token.Load()
	if last != nil && time.Since(last.at) < rereadAfter {
		return last.token, nil
	}
	token, err := c.readToken()
	if err != nil && last != nil {
		return last.token, nil
	}
	return token, err
}

func (c *Client) readToken() (string, error) {
	token, err := readToken(TokenFile(c.address.Name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%w: %w", ErrNotListening, err)
	}
	if err != nil {
		return "", err
	}
	c.token.Store(&readTokenAt{token, time.Now()})
	return token, nil
}

func closeBody(r *http.Request) error {
	if r.Body == nil {
		return nil
	}
	return r.Body.Close()
}

// Interface guards
var _ http.RoundTripper = (*Client)(nil)
