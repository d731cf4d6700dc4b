package caddymodule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"reflect"
	"strconv"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyevents"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/svc-games/svc/block"
	"github.com/svc-games/svc/caddymodule/gateway"
	"github.com/svc-games/svc/caddymodule/gateway/handover"
)

// connections counts those of all servers and configurations: a reload leaves the
// ones open that are.
var connections gateway.Places

// Connections closes connections of clients at once that are more than may be open,
// so that idle ones don't take the files which engines, the store and Caddy's admin
// API need, and hands listening sockets over from one configuration to the next, so
// that a reload loses no connection. It is a listener wrapper and belongs first, before
// tls. HTTP/3 has no connections that take files.
type Connections struct {
	// How many may be open, of all listeners together. Default: half of the files
	// that the process may have open, and at most 20,000.
	All int `json:"all,omitempty"`

	// How many of them one client address may have, of IPv6 a /64. It does not
	// hold for the server's trusted_proxies. Default: half of all.
	PerAddress int `json:"per_address,omitempty"`

	server  *caddyhttp.Server
	logger  *zap.Logger
	lasting []*handover.Listener
}

// mostConnections bounds the default of Connections.All.
const mostConnections = 20_000

// CaddyModule returns the Caddy module information.
func (Connections) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "caddy.listeners.svc_connections", New: func() caddy.Module { return new(Connections) }}
}

// Provision sets defaults.
func (c *Connections) Provision(ctx caddy.Context) error {
	if c.All == 0 {
		files, err := fileLimit()
		if err != nil {
			return fmt.Errorf("svc_connections: %w", err)
		}
		c.All = max(int(min(files/2, mostConnections)), 2)
	}
	c.PerAddress = cmp.Or(c.PerAddress, max(c.All/2, 1))
	c.logger = ctx.Logger()
	c.server, _ = ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server) // it may wrap another app's listener
	if err := c.onReload(ctx); err != nil {
		return err
	}
	return RegisterMetrics(ctx, registry)
}

// Validate checks the options.
func (c *Connections) Validate() error {
	if c.All < 1 || c.PerAddress < 1 {
		return errors.New("svc_connections: both numbers must be at least 1")
	}
	return nil
}

// UnmarshalCaddyfile sets up the wrapper from Caddyfile tokens. Syntax:
//
//	svc_connections [<all> [<per address>]]
func (c *Connections) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the wrapper's name
	args := d.RemainingArgs()
	if len(args) > 2 {
		return d.Errf("svc_connections takes how many connections may be open, and how many of one address; got %d arguments", len(args))
	}
	for i, dst := range []*int{&c.All, &c.PerAddress}[:len(args)] {
		n, err := strconv.Atoi(args[i])
		if err != nil || n < 1 {
			return d.Errf("svc_connections: %q is not a number of at least 1", args[i])
		}
		*dst = n
	}
	return block.At(d, "svc_connections").Block(nil)
}

// WrapListener implements caddy.ListenerWrapper. A listener that another wrapper has
// changed is not handed over: the next configuration may lack that wrapper, or set it
// otherwise.
func (c *Connections) WrapListener(l net.Listener) net.Listener {
	_, tcp := l.Addr().(*net.TCPAddr)
	if tcp && reflect.TypeOf(l).PkgPath() == reflect.TypeFor[caddy.NetworkAddress]().PkgPath() {
		lasting, err := handover.Wrap(l)
		if err == nil {
			c.lasting = append(c.lasting, lasting)
			l = lasting
		} else {
			c.logger.Warn("a reload may lose connections that are being opened", zap.Error(err))
		}
	}
	return &countedListener{l, c}
}

// onReload has the listeners take over once the whole configuration has started, and
// those of one that is replaced go on for a moment.
func (c *Connections) onReload(ctx caddy.Context) error {
	app, err := ctx.App("events")
	if err != nil {
		return fmt.Errorf("loading app events: %w", err)
	}
	events := app.(*caddyevents.App)
	return errors.Join(
		events.On("started", eventHandler(func() {
			for _, l := range c.lasting {
				l.TakeOver()
			}
		})),
		events.On("stopping", eventHandler(handover.Settle)),
	)
}

// eventHandler is an event handler that can't fail; it is no module, so that no one can
// configure it as one.
type eventHandler func()

// Handle implements caddyevents.Handler.
func (h eventHandler) Handle(context.Context, caddy.Event) error {
	h()
	return nil
}

// trusted reports whether an address is a proxy's, as Caddy finds out.
func (c *Connections) trusted(remote net.Addr) bool {
	if c.server == nil {
		return false
	}
	r := &http.Request{RemoteAddr: remote.String(), URL: new(url.URL), Header: make(http.Header)}
	r = caddyhttp.PrepareRequest(r, caddy.NewReplacer(), nil, c.server)
	trusted, _ := caddyhttp.GetVar(r.Context(), caddyhttp.TrustedProxyVarKey).(bool)
	return trusted
}

type countedListener struct {
	net.Listener

	bounds *Connections
}

// Accept returns the next connection that there is room for.
func (l *countedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		remote := conn.RemoteAddr()
		var from netip.Addr
		if tcp, ok := remote.(*net.TCPAddr); ok {
			from = tcp.AddrPort().Addr()
		}
		bounds := gateway.PlaceBounds{All: l.bounds.All, PerAddress: l.bounds.PerAddress}
		if c, ok := conn.(*handover.Conn); ok && c.Moved { // it has had a place, and is about to leave it
			bounds = gateway.PlaceBounds{All: math.MaxInt, PerAddress: math.MaxInt}
		}
		leave, full := connections.Enter(from, bounds, func() bool { return l.bounds.trusted(remote) })
		if full == "" {
			return &countedConn{conn, leave}, nil
		}
		metrics.fullConnections.WithLabelValues(full).Inc()
		_ = conn.Close() // nobody waits for it
	}
}

// countedConn is a connection that is counted. It has the methods for which
// net/http looks.
type countedConn struct {
	net.Conn

	leave func()
}

// CloseWrite implements what lets a client read an answer before the end.
func (c *countedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// ReadFrom implements io.ReaderFrom, so that the kernel copies files.
func (c *countedConn) ReadFrom(r io.Reader) (int64, error) { return io.Copy(c.Conn, r) }

// Close closes the connection and makes room for another one.
func (c *countedConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// Interface guards
var (
	_ caddy.Provisioner     = (*Connections)(nil)
	_ caddy.Validator       = (*Connections)(nil)
	_ caddy.ListenerWrapper = (*Connections)(nil)
	_ caddyfile.Unmarshaler = (*Connections)(nil)
	_ caddyevents.Handler   = eventHandler(nil)
)
