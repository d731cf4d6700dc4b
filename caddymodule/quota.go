package caddymodule

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/svc-games/svc/block"
	"github.com/svc-games/svc/caddymodule/gateway"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy"
)

// Quota admits submissions exactly: it reserves before the engine sees the
// job, commits on the engine's 200, and releases when the engine provably did
// not take it. A client that leaves changes nothing. Other requests pass.
//
// It refuses with 429 (a limit), 503 (no admission possible), 504 (the
// engine's answer was lost and it is unreachable).
type Quota struct {
	// How long the engine may take to answer a submission. Default: 30s.
	Timeout caddy.Duration `json:"timeout,omitempty"`

	// How long ago a gateway must have last said that it works on a submission before
	// the engine is asked what became of it: the reservation of a gateway that was
	// killed counts until then. From 1s to 10m. Default: 5s.
	Deadline caddy.Duration `json:"deadline,omitempty"`

	app  *App
	core func(*Shared) *gateway.Submitter
}

// Caddyfile implements Configurable. Syntax:
//
//	svc_quota {
//	    timeout  <duration>
//	    deadline <duration>
//	}
func (q *Quota) Caddyfile() block.Options {
	return block.Options{
		{Name: "timeout", Form: "<duration>", Read: Duration(&q.Timeout), Default: "`30s`",
			Meaning: "how long the engine may take to answer a submission, which is then fenced"},
		{Name: "deadline", Form: "<duration>", Read: Duration(&q.Deadline), Default: "`5s`",
			Meaning: "how long ago a gateway must have last said that it works on a submission (it says so four times in this while; one that was killed does not) " +
				"before the engine proxy asks the engine what became of it; until then, and until there is an answer, the reservation counts. From `1s` to `10m`"},
	}
}

// CaddyModule returns the Caddy module information.
func (Quota) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.svc_quota", New: func() caddy.Module { return new(Quota) }}
}

// Provision sets defaults.
func (q *Quota) Provision(ctx caddy.Context) (err error) {
	q.Timeout = cmp.Or(q.Timeout, caddy.Duration(30*time.Second))
	q.Deadline = cmp.Or(q.Deadline, caddy.Duration(5*time.Second))
	if q.app, err = appOf(ctx); err != nil {
		return err
	}
	logger := ctx.Logger()
	q.core = afterStart(func(shared *Shared) *gateway.Submitter {
		return &gateway.Submitter{
			Sidecar:    shared.Sidecar,
			Engines:    shared.Engines,
			Routes:     shared.Routes,
			RetryAfter: time.Duration(q.app.RetryAfter),
			Timeout:    time.Duration(q.Timeout),
			Deadline:   time.Duration(q.Deadline),
			Now:        time.Now,
			Outcome:    metrics.submitted,
			Logger:     logger,
		}
	})
	return q.app.addStep(ctx, stepQuota)
}

// Validate checks the options.
func (q *Quota) Validate() error {
	if q.Timeout < 0 {
		return fmt.Errorf("timeout must not be negative, is %s", time.Duration(q.Timeout))
	}
	if d := time.Duration(q.Deadline); d < time.Second || d > 10*time.Minute {
		return fmt.Errorf("deadline must be from 1s to 10m, is %s", d)
	}
	return nil
}

func (q *Quota) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	req, shared, err := requestOf(q.app, r, stepQuota)
	if err != nil {
		return err
	}
	if req.Route.Action != policy.ActionGenerate {
		return next.ServeHTTP(w, r)
	}
	if req.Lease == nil { // a reservation could only be fenced, which starts an engine
		return comesBefore(stepEngine, stepQuota)
	}
	if req.Admitted != "" { // a second job of one submission, of which the client would hear nothing
		return caddyhttp.Error(http.StatusInternalServerError, errors.New("svc_quota stands twice in the route"))
	}
	r = r.WithContext(peer.WithRequest(r.Context(), clientRequest(r.Context())))
	return handOn(q.core(shared).Serve(w, r, req, nextOf(next)))
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Quota)(nil)
	_ caddy.Validator             = (*Quota)(nil)
	_ caddyhttp.MiddlewareHandler = (*Quota)(nil)
)
