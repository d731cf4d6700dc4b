package caddymodule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
	"go.uber.org/zap"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/block"
	"github.com/svc-games/svc/caddymodule/gateway"
	"github.com/svc-games/svc/policy"
)

// Engine finds the engine of the request's project. A submission starts an
// absent one and waits for it up to hold; then it gets 503 with
// retryAfterSeconds. Status, cancellation and everything of ended jobs is
// answered here, without an engine. Events of a job that runs are read from its
// engine once for all readers. Submissions go to reverse_proxy with "dynamic
// svc_engine".
type Engine struct {
	// How long a submission waits for a starting engine. Default: 2s.
	Hold caddy.Duration `json:"hold,omitempty"`

	app  *App
	core func(*Shared) *gateway.Locator
}

// Caddyfile implements Configurable. Syntax:
//
//	svc_engine {
//	    hold <duration>
//	}
func (e *Engine) Caddyfile() block.Options {
	return block.Options{
		{Name: "hold", Form: "<duration>", Read: Duration(&e.Hold), Default: "`2s`",
			Meaning: "how long a submission waits for a starting engine before it gets 503"},
	}
}

// CaddyModule returns the Caddy module information.
func (Engine) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.svc_engine", New: func() caddy.Module { return new(Engine) }}
}

// Provision sets defaults.
func (e *Engine) Provision(ctx caddy.Context) (err error) {
	e.Hold = cmp.Or(e.Hold, caddy.Duration(2*time.Second))
	if e.app, err = appOf(ctx); err != nil {
		return err
	}
	broken := logBroken(ctx.Logger())
	e.core = afterStart(func(shared *Shared) *gateway.Locator {
		return &gateway.Locator{
			Sidecar:      shared.Sidecar,
			Engines:      shared.Engines,
			Models:       shared.models,
			Hold:         time.Duration(e.Hold),
			RetryAfter:   time.Duration(e.app.RetryAfter),
			Now:          time.Now,
			Waited:       func(d time.Duration) { metrics.engineWait.Observe(d.Seconds()) },
			Request:      clientRequest,
			Streams:      shared.Streams,
			Jobs:         shared.jobs,
			Gate:         shared.cache,
			Ended:        shared.cache.JobEnded,
			StreamBroken: broken,
			Stall:        stall,
		}
	})
	return e.app.addStep(ctx, stepEngine)
}

// Validate checks the options.
func (e *Engine) Validate() error {
	if e.Hold < 0 {
		return fmt.Errorf("hold must not be negative, is %s", time.Duration(e.Hold))
	}
	return nil
}

func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	q, shared, err := requestOf(e.app, r, stepEngine)
	if err != nil {
		return err
	}
	err = e.core(shared).Serve(w, r, q, nextOf(next))
	if err == nil {
		return nil
	}
	metrics.refusedStream(err)
	e.app.exposeRule(w, q.Decision.Rule) // a stream is decided on again
	if refused, ok := errors.AsType[*answers.Error](err); ok && refused.Starting && q.Route.Action == policy.ActionGenerate {
		metrics.coldStarts.Inc()
	}
	return handOn(err)
}

// logBroken logs why event streams ended that had begun: their clients can't be told.
func logBroken(logger *zap.Logger) func(jobID string, err error) {
	return func(jobID string, err error) {
		logger.Warn("event stream broke off", zap.String("job", jobID), zap.Error(err))
	}
}

// stall returns how long the client of a request may take nothing of its answer. false: it
// is bounded otherwise too, by when it must be over or how fast it is taken.
func stall(ctx context.Context) (most time.Duration, only bool) {
	if _, w := caddyhttp.IdleTimeoutsFromContext(ctx); w != nil {
		return w.Deadline.Timeout, w.Deadline.MinRate == 0 && w.Deadline.HardDeadline.IsZero()
	}
	server, ok := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	return 0, !ok || server.WriteTimeout == 0
}

// Upstreams is the upstream source of reverse_proxy: the engine that
// svc_engine found. It is instant, and knows nothing without svc_engine.
type Upstreams struct{}

// CaddyModule returns the Caddy module information.
func (Upstreams) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.reverse_proxy.upstreams.svc_engine", New: func() caddy.Module { return new(Upstreams) }}
}

// Provision refuses a proxy without the steps before it: without svc_quota
// every submission would go uncounted, if the engine took it.
func (*Upstreams) Provision(ctx caddy.Context) error {
	app, err := appOf(ctx)
	if err != nil {
		return err
	}
	return app.addStep(ctx, stepProxy)
}

// GetUpstreams returns the one engine of the request. That the steps before it are
// there can't always be seen when the configuration is loaded: another route may
// have them, or one that is invoked by its name.
func (*Upstreams) GetUpstreams(r *http.Request) ([]*reverseproxy.Upstream, error) {
	q := gateway.RequestOf(r)
	if q == nil || q.Lease == nil {
		return nil, errors.New("svc_engine must come before reverse_proxy")
	}
	if q.Route.Action == policy.ActionGenerate && q.Admitted == "" {
		return nil, errors.New("svc_quota must come before reverse_proxy: the submission would go uncounted")
	}
	return []*reverseproxy.Upstream{{Dial: caddy.JoinNetworkAddress(q.Lease.Network, q.Lease.Address, "")}}, nil
}

// UnmarshalCaddyfile sets up the source from Caddyfile tokens. Syntax:
//
//	dynamic svc_engine
func (*Upstreams) UnmarshalCaddyfile(d *caddyfile.Dispenser) error { return block.Directive(d, nil) }

// Interface guards
var (
	_ caddy.Provisioner           = (*Engine)(nil)
	_ caddy.Validator             = (*Engine)(nil)
	_ caddyhttp.MiddlewareHandler = (*Engine)(nil)
	_ caddy.Provisioner           = (*Upstreams)(nil)
	_ reverseproxy.UpstreamSource = (*Upstreams)(nil)
	_ caddyfile.Unmarshaler       = (*Upstreams)(nil)
)
