package egress

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"

	"go.uber.org/zap"
	"golang.org/x/net/netutil"
)

// maxGateConnections bounds the connections of all engines of other machines, those
// included that have not shown a certificate yet.
const maxGateConnections = 4096

// errNotAdmitted refuses a certificate that is no admitted engine's.
var errNotAdmitted = errors.New("the certificate is not that of an engine that runs")

// gate is the listener that engines of other machines share. Each is known by
// the name in its certificate, from the handshake on.
type gate struct {
	url      string
	config   *tls.Config
	listener net.Listener
	server   *http.Server

	mu      sync.Mutex // guards what follows, and the state of engines and connections
	engines map[string]*admittedEngine
}

// openGate listens for the engines of other machines.
func (e *Egress) openGate(config *tls.Config) error {
	if e.opts.Listen == "" {
		return errors.New("egress: engines run on other machines, and no address is given at which they are served")
	}
	l, err := net.Listen("tcp", e.opts.Listen)
	if err != nil {
		return fmt.Errorf("listening for engines that ask for models: %w", err)
	}
	url := cmp.Or(e.opts.URL, "https://"+l.Addr().String())
	g := &gate{url: url, config: config, engines: make(map[string]*admittedEngine)}
	outer := config.Clone()
	outer.GetConfigForClient = g.configFor
	g.listener = tls.NewListener(connections{netutil.LimitListener(l, maxGateConnections), g}, outer)
	g.server = e.server(g)
	e.wg.Go(func() {
		if err := g.server.Serve(g.listener); !errors.Is(err, http.ErrServerClosed) {
			e.log.Error("serving egress failed", zap.String("address", l.Addr().String()), zap.Error(err))
		}
	})
	e.gate = g
	return nil
}

// configFor has the handshake of one connection end with the look at its name.
func (g *gate) configFor(hello *tls.ClientHelloInfo) (*tls.Config, error) {
	v, ok := hello.Conn.(*connection)
	if !ok {
		return nil, errors.New("the connection is not one of ours")
	}
	config := g.config.Clone()
	if g.config.GetConfigForClient != nil { // certificates that change
		of, err := g.config.GetConfigForClient(hello)
		if err != nil {
			return nil, err
		}
		config = of.Clone()
	}
	config.VerifyConnection = func(state tls.ConnectionState) error { return g.enter(v, nameOf(state)) }
	return config, nil
}

// nameOf is the name in a certificate that was verified; "" without one.
func nameOf(state tls.ConnectionState) string {
	if len(state.VerifiedChains) == 0 || len(state.PeerCertificates[0].DNSNames) != 1 {
		return ""
	}
	return state.PeerCertificates[0].DNSNames[0]
}

// enter lets a connection in if it is an admitted engine's, and not one too
// many of them.
func (g *gate) enter(v *connection, name string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	host := g.engines[name]
	switch {
	case host == nil:
		return errNotAdmitted
	case len(host.connections) >= maxConnections:
		return errors.New("the engine has too many connections")
	case v.closed:
		return net.ErrClosed
	}
	v.host = host
	host.connections[v] = struct{}{}
	return nil
}

// ServeHTTP answers the engine whose certificate the connection showed.
func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	host := g.engines[nameOf(*r.TLS)]
	g.mu.Unlock()
	if host == nil {
		refuse(http.StatusUnauthorized, "unauthorized", "The engine is not one that runs.").writeTo(w)
		return
	}
	host.handler.ServeHTTP(w, r)
}

// admit lets the engine in that shows name.
func (g *gate) admit(name string, d *engineHandler) *admittedEngine {
	v := &admittedEngine{gate: g, name: name, handler: d, connections: make(map[*connection]struct{})}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.engines[name] = v
	return v
}

// close ends the service for all.
func (g *gate) close() { _ = g.server.Close() } // no listener's error is of use now

// admittedEngine is an engine of another machine that may come in.
type admittedEngine struct {
	gate        *gate
	name        string
	handler     *engineHandler
	connections map[*connection]struct{} // its connections
}

// leave lets the connections of all engines end: it is called for each when
// the egress closes.
func (v *admittedEngine) leave(ctx context.Context) {
	if v.gate.server.Shutdown(ctx) != nil {
		v.close()
	}
}

// close implements entry. The same engine may have been admitted anew.
func (v *admittedEngine) close() {
	v.gate.mu.Lock()
	if v.gate.engines[v.name] == v {
		delete(v.gate.engines, v.name)
	}
	open := slices.Collect(maps.Keys(v.connections))
	v.gate.mu.Unlock()
	for _, c := range open {
		_ = c.Close()
	}
}

// connections gives the connections that are accepted a way to be counted.
type connections struct {
	net.Listener
	gate *gate
}

func (l connections) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &connection{Conn: c, gate: l.gate}, nil
}

// connection is one connection.
type connection struct {
	net.Conn
	gate *gate

	// Guarded by the gate.
	host   *admittedEngine // nil: it has not got in
	closed bool
}

func (v *connection) Close() error {
	v.gate.mu.Lock()
	v.closed = true
	if v.host != nil {
		delete(v.host.connections, v)
	}
	v.gate.mu.Unlock()
	return v.Conn.Close()
}

// Interface guards
var (
	_ entry        = (*admittedEngine)(nil)
	_ http.Handler = (*gate)(nil)
)
