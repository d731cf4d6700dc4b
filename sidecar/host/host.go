// Package host puts a sidecar together: the service over its store, the policy
// with its decision log, and the listeners through which both are used. The
// gateway's process hosts one this way, and so does svc-sidecar, of which the command
// line is here as well.
package host

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/sidecar/admin"
	"github.com/svc-games/svc/sidecar/opa"
	"github.com/svc-games/svc/sidecar/service"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/wire"
	"github.com/svc-games/svc/sidecar/wire/ledger"
)

// Names of sockets in the data directory.
const (
	// Socket is where gateways and engine proxies ask.
	Socket = "run/sidecar.sock"
	// OPASocket serves OPA's API.
	OPASocket = "run/opa.sock"
)

// Options of Open. DataDir is required.
type Options struct {
	// DataDir holds the SQLite store, kept policies, the decision log and
	// sockets.
	DataDir string
	// Store, Redis and Prices are those of service.Options.
	Store, Redis string
	Prices       map[string]api.TIK
	// DecisionTimeout bounds a decision; 0 means the service's default.
	DecisionTimeout time.Duration
	// Caps are those of service.Options.
	Caps service.Caps
	// Now is that of service.Options.
	Now func() time.Time
	// Policy says where the policy comes from.
	Policy activation.Options
	// DecisionLog records decisions; nil records none.
	DecisionLog *decisionlog.Options

	// Listen, OPA and Admin are where gateways and engine proxies, readers of
	// the policy, and administrators are served: Standard, another address, or
	// nil for none. TLS is for those that are TCP.
	Listen, OPA, Admin *peer.Address
	// TLS is that of peer.ServerOptions. Names are the Names of Listen, and of OPA
	// with OPANames besides; those of Admin are AdminNames alone.
	TLS                         peer.TLS
	Names, OPANames, AdminNames []string
	// TakeOver takes the sockets from the process that listens there.
	TakeOver bool
	// Metrics are served at /metrics beside OPA's API; nil serves none.
	Metrics prometheus.Gatherer
	// ServiceMetrics are those of service.Options.
	ServiceMetrics *service.Metrics

	Logger *zap.Logger // default: none
}

// Standard stands for a listener's socket in the data directory.
func Standard() *peer.Address { return new(peer.Address) }

// Host is an open sidecar.
type Host struct {
	Service *service.Service
	Policy  *activation.Engine

	logger    *zap.Logger
	opened    []func() error
	address   peer.Address    // of the listener for gateways
	takenOver <-chan struct{} // of the same
}

// Open opens the store and the policy, and then the listeners. What can be known before
// keeps it from touching anything: another sidecar may work on the same folder.
func Open(ctx context.Context, o Options) (_ *Host, err error) {
	o.Logger = cmp.Or(o.Logger, zap.NewNop())
	if err := o.check(ctx); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(o.DataDir, filepath.Dir(Socket)), 0o700); err != nil {
		return nil, fmt.Errorf("making the data directory: %w: name a directory that can be written to in SVC_DATA_DIR", err)
	}
	h := &Host{logger: o.Logger}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.Close())
		}
	}()
	if err := h.openPolicy(ctx, o); err != nil {
		return nil, err
	}
	h.Service, err = service.Open(ctx, service.Options{
		DataDir: o.DataDir, Store: o.Store, Redis: o.Redis, Prices: o.Prices, Policy: h.Policy,
		DecisionTimeout: o.DecisionTimeout, Caps: o.Caps, Now: o.Now, Logger: o.Logger,
		Metrics: o.ServiceMetrics,
	})
	if err != nil {
		return nil, fmt.Errorf("opening the sidecar: %w", err)
	}
	h.opened = append(h.opened, h.Service.Close)
	if err := h.sharePolicies(ctx); err != nil {
		return nil, err
	}
	if err := h.Policy.AuditWith(ctx, admin.RecordPolicy(h.Service.Keys(), activation.ByService, "policy.activate")); err != nil {
		return nil, fmt.Errorf("recording the policy: %w", err)
	}
	return h, h.serve(o)
}

// sharePolicies has all sidecars with one store decide by the same policy.
func (h *Host) sharePolicies(ctx context.Context) error {
	shared := h.Service.Policies()
	if shared == nil {
		return nil
	}
	name, err := os.Hostname()
	if err != nil {
		name = "sidecar"
	}
	stop, err := h.Policy.Share(ctx, shared, fmt.Sprintf("%.150s/%d/%s", name, os.Getpid(), rand.Text()[:6]))
	if err != nil {
		return fmt.Errorf("opening the policy: %w", err)
	}
	h.opened = append(h.opened, stop)
	return nil
}

// openPolicy opens the decision log, and the engine that writes it.
func (h *Host) openPolicy(ctx context.Context, o Options) (err error) {
	options := o.Policy
	options.DataDir, options.Logger, options.Shared = o.DataDir, o.Logger.Named("policy"), store.IsPostgresURL(o.Store)
	if o.DecisionLog != nil {
		if options.Log, err = decisionlog.Open(*o.DecisionLog); err != nil {
			return err
		}
	}
	h.Policy, err = activation.Open(ctx, options)
	if err != nil && options.Log != nil {
		err = errors.Join(err, options.Log.Close())
	}
	if err != nil {
		return fmt.Errorf("opening the policy: %w", err)
	}
	h.opened = append(h.opened, h.Policy.Close)
	return nil
}

// serve opens the listeners. That of gateways is the last: from then on the
// sidecar is in use.
func (h *Host) serve(o Options) error {
	if o.Admin != nil {
		server, err := admin.Start(o.listener(*o.Admin, o.AdminNames, admin.SocketFile, "admin", nil), admin.Parts{
			Access: h.Service.Door, Keys: h.Service.Keys(), Sessions: h.Service.Sessions(), Projects: h.Service.Catalog, Ledger: h.Service.Ledger,
			Policy: h.Policy,
		})
		if err != nil {
			return fmt.Errorf("opening the admin socket: %w", err)
		}
		h.opened = append(h.opened, server.Close)
	}
	if o.OPA != nil {
		server, err := peer.Start(o.listener(*o.OPA, o.opaNames(), OPASocket, "opa", h.reads(o)))
		if err != nil {
			return fmt.Errorf("opening the socket of OPA's API: %w", err)
		}
		h.opened = append(h.opened, server.Close)
	}
	if o.Listen != nil {
		server, err := peer.Start(o.listener(*o.Listen, o.Names, Socket, "peers", h.calls(o.Logger)))
		if err != nil {
			return fmt.Errorf("opening the sidecar's socket: %w", err)
		}
		h.opened = append(h.opened, server.Close)
		h.address, h.takenOver = server.Addr(), server.TakenOver()
	}
	return nil
}

// opaNames are those of who may read: peers, who may do more elsewhere, and monitors.
func (o *Options) opaNames() []string { return slices.Concat(o.Names, o.OPANames) }

func (o *Options) listener(address peer.Address, names []string, socket, name string, handler http.Handler) peer.ServerOptions {
	if address == *Standard() {
		address = peer.Address{Network: "unix", Name: filepath.Join(o.DataDir, socket)}
	}
	return peer.ServerOptions{
		Address: address, Handler: handler, TLS: o.TLS, Names: names, TakeOver: o.TakeOver, Logger: o.Logger.Named(name),
	}
}

// reads serves OPA's API, and what monitors ask for.
func (h *Host) reads(o Options) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", opa.Handler(h.Policy))
	if o.Metrics != nil {
		mux.Handle("GET /metrics", promhttp.HandlerFor(o.Metrics, promhttp.HandlerOpts{}))
	}
	mux.Handle("GET "+peer.HealthPath, peer.HealthHandler(h.problems))
	return mux
}

// problems is what keeps the sidecar from admitting submissions. Rules that are newer
// than those in force keep nothing from it.
func (h *Host) problems(ctx context.Context) []string {
	health, err := h.Service.Health(ctx)
	if err == nil {
		err = health.Writes
	}
	if err != nil {
		h.logger.Warn("sidecar is not healthy", zap.Error(err))
		return []string{"the store can't be written to"}
	}
	return nil
}

// calls serves gateways and engine proxies.
func (h *Host) calls(logger *zap.Logger) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(wire.Path+"/", wire.Handler(h.Service, logger))
	mux.Handle(ledger.Path+"/", ledger.Handler(h.Service, logger))
	mux.Handle(wire.ConsolePath+"/", wire.ConsoleHandler(h.Service.Console, logger))
	mux.Handle(wire.PlayPath+"/", wire.PlayHandler(h.Service.Play, logger))
	return mux
}

// Address is where gateways and engine proxies are served.
func (h *Host) Address() peer.Address { return h.address }

// TakenOver is closed once another process serves gateways at our socket. The
// host should then be closed.
func (h *Host) TakenOver() <-chan struct{} { return h.takenOver }

// Close ends requests under way and closes all that was opened, in the reverse
// order.
func (h *Host) Close() error {
	var err error
	for i := len(h.opened) - 1; i >= 0; i-- {
		err = errors.Join(err, h.opened[i]())
	}
	h.opened = nil
	return err
}

// Interface guards
var (
	_ opa.Policy      = (*activation.Engine)(nil)
	_ wire.Service    = (*service.Service)(nil)
	_ contract.Ledger = (*service.Service)(nil)
)
