package caddymodule

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/caddymodule/gateway"
	"github.com/svc-games/svc/policy"
)

// Engine finds the engine of the request's project. A submission starts an
// absent one and waits for it up to hold; then it gets 503 with
// retryAfterSeconds. Status, cancellation and everything of ended jobs is
// answered here, without an engine. The rest goes to reverse_proxy with
// "dynamic svc_engine".
type Engine struct {
	// How long a submission waits for a starting engine. Default: 2s.
	Hold caddy.Duration `json:"hold,omitempty"`

	app   *App
	broke func(jobID string, err error)
}

// CaddyModule returns the Caddy module information.
func (Engine) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.svc_engine", New: func() caddy.Module { return new(Engine) }}
}

// Provision sets defaults.
func (e *Engine) Provision(ctx caddy.Context) (err error) {
	if e.Hold == 0 {
		e.Hold = caddy.Duration(2 * time.Second)
	}
	e.broke = brokeOff(ctx.Logger())
	if e.app, err = appOf(ctx); err != nil {
		return err
	}
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
	q, shared, err := known(e.app, r, stepEngine)
	if err != nil {
		return err
	}
	locator := gateway.Locator{
		Sidecar:    shared.checks,
		Engines:    shared.Engines,
		Hold:       time.Duration(e.Hold),
		RetryAfter: time.Duration(e.app.RetryAfter),
		Now:        time.Now,
		Streams:    shared.Streams,
		Gate:       shared.Gate,
		Ended:      shared.jobEnded,
		Broke:      e.broke,
	}
	submission := q.Route.Action == policy.ActionGenerate
	var begin time.Time
	if submission {
		begin = time.Now()
	}
	err = locator.Serve(w, r, q, func(w http.ResponseWriter, r *http.Request) error {
		if submission {
			observe(metrics.engineWait, begin)
		}
		return nextOf(next)(w, gateway.ForEngine(r, q))
	})
	if err == nil {
		return nil
	}
	metrics.refusedStream(err)
	e.app.exposeRule(w, q.Decision.Rule) // a stream is decided on again
	err = toHandlerError(err, time.Duration(e.app.RetryAfter))
	if refused := (*api.Error)(nil); submission && errors.As(err, &refused) && refused.Starting {
		metrics.coldStarts.Inc()
	}
	return err
}

// brokeOff logs why event streams ended that had begun: their clients can't be told.
func brokeOff(logger *zap.Logger) func(jobID string, err error) {
	return func(jobID string, err error) {
		if c := logger.Check(zapcore.WarnLevel, "event stream broke off"); c != nil {
			c.Write(zap.String("job", jobID), zap.Error(err))
		}
	}
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Engine)(nil)
	_ caddy.Validator             = (*Engine)(nil)
	_ caddyhttp.MiddlewareHandler = (*Engine)(nil)
)
