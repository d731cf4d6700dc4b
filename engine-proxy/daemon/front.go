package daemon

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"go.uber.org/zap"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/remote"
	"github.com/svc-games/svc/peer"
)

// front serves gateways at the further address. Who asks before open waits.
type front struct {
	options Options
	metrics http.Handler
	logger  *zap.Logger
	gate    *peer.Gate
	server  *peer.Server    // nil when there is no further address
	handler *remote.Handler // nil before open
}

// early reports whether the front must listen before the engine proxy works: a
// socket that is taken over is never without a listener. A TCP address gets
// free only when the process before has left it.
func (f *front) early() bool {
	return f.options.Host.TakeOver && f.options.Listen != nil && f.options.Listen.Unix()
}

// check says why listen will fail, while an engine proxy that runs can still go on. A
// port is in use until the process before has ended, and the data directory says more of it.
func (f *front) check() (err error) {
	o := f.options
	switch {
	case o.Listen == nil:
		return nil
	case o.Listen.Unix():
		err = f.listener(nil).Check()
	default:
		err = o.TLS.Check()
	}
	if err != nil {
		return fmt.Errorf("serving gateways: %w", err)
	}
	return nil
}

func (f *front) listener(handler http.Handler) peer.ServerOptions {
	o := f.options
	return peer.ServerOptions{
		Address: *o.Listen, Handler: handler, TLS: o.TLS, Names: slices.Concat(o.Names, o.MonitorNames), TakeOver: o.Host.TakeOver, Logger: f.logger,
	}
}

// listen begins to listen, once.
func (f *front) listen() (err error) {
	o := f.options
	if o.Listen == nil || f.server != nil {
		return nil
	}
	f.gate = peer.NewGate()
	if f.server, err = peer.Start(f.listener(f.gate)); err != nil {
		return fmt.Errorf("serving gateways: %w", err)
	}
	return nil
}

// open begins to answer.
func (f *front) open(e engineproxy.Engines) {
	if f.server == nil {
		return
	}
	f.handler = remote.NewHandler(remote.HandlerOptions{Engines: e, Direct: f.options.Listen.Unix(), Logger: f.logger})
	f.gate.Open(monitored(f.gateways(f.handler), e, f.metrics))
	f.logger.Info("gateways are served", zap.Stringer("address", f.server.Addr()))
}

// gateways keeps those from the calls who are let in as monitors. On a Unix socket
// there are none.
func (f *front) gateways(calls http.Handler) http.Handler {
	if f.options.Listen.Unix() {
		return calls
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !peer.CallerBears(r, f.options.Names) {
			http.Error(w, "this certificate is good for /metrics and "+peer.HealthPath+" alone", http.StatusForbidden)
			return
		}
		calls.ServeHTTP(w, r)
	})
}

// close answers what was asked already, and ends.
func (f *front) close() (err error) {
	if f.server != nil {
		err = errors.Join(err, f.server.Close())
	}
	if f.handler != nil {
		f.handler.Close()
	}
	return err
}
