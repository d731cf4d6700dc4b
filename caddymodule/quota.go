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

	// How old a reservation must be, of which no one knows what became, before
	// its engine is asked: it counts until then. More than timeout. Default: 60s,
	// or twice the timeout if that is more.
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
			Meaning: "how long the engine may take to answer a submission; after that the submission is fenced"},
		{Name: "deadline", Form: "<duration>", Read: Duration(&q.Deadline), Default: "`60s`",
			Meaning: "how old a reservation must be, of which no one knows what became (a gateway was killed), before the engine proxy asks its engine; " +
				"until then, and until there is an answer, it counts. It must be more than `timeout`"},
	}
}

// CaddyModule returns the Caddy module information.
func (Quota) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.svc_quota", New: func() caddy.Module { return new(Quota) }}
}

// Provision sets defaults.
func (q *Quota) Provision(ctx caddy.Context) (err error) {
	q.Timeout = cmp.Or(q.Timeout, caddy.Duration(30*time.Second))
	q.Deadline = cmp.Or(q.Deadline, max(caddy.Duration(60*time.Second), 2*q.Timeout))
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
	if q.Deadline <= q.Timeout {
		return fmt.Errorf("deadline is %s and must be more than timeout, %s: "+
			"a submission would be given up before the engine answers", time.Duration(q.Deadline), time.Duration(q.Timeout))
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
	return handOn(q.core(shared).Serve(w, r, req, nextOf(next)))
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Quota)(nil)
	_ caddy.Validator             = (*Quota)(nil)
	_ caddyhttp.MiddlewareHandler = (*Quota)(nil)
)
