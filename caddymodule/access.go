package caddymodule

import (
	"cmp"
	"fmt"
	"net/http"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/svc-games/svc/block"
	"github.com/svc-games/svc/caddymodule/gateway"
	"github.com/svc-games/svc/policy"
)

// Access finds out which project and job a request names, and asks the policy
// whether its key may use them. It refuses with 404, 405, 413, 415, 400, 403
// and, for a key that is over a limit, 429. A submission that was made before with
// the same Idempotency-Key is answered here: it costs nothing. A body for which
// there is no room beside those that are in memory is refused with 503.
//
// It sets these placeholders:
//
//	Placeholder       | Description
//	------------------|------------------------------
//	{svc.action}      | what the request wants to do
//	{svc.project.id}  | the project, where there is one
//	{svc.job.id}      | the job, where there is one
//	{svc.rule}        | the policy's rule that decided, where one did
//
// and the fields svc_action, svc_project, svc_job and svc_rule of the access
// log, with the same values.
type Access struct {
	// The largest request body, in bytes. Default: 8 MiB.
	MaxBody int64 `json:"max_body,omitempty"`

	app  *App
	core func(*Shared) *gateway.Access
}

// Caddyfile implements Configurable. Syntax:
//
//	svc_access {
//	    max_body <size>
//	}
func (a *Access) Caddyfile() block.Options {
	return block.Options{
		{Name: "max_body", Form: "<size>", Read: block.Size(&a.MaxBody), Default: "`8MiB`", Meaning: "the largest JSON body"},
	}
}

// CaddyModule returns the Caddy module information.
func (Access) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.svc_access", New: func() caddy.Module { return new(Access) }}
}

// Provision sets defaults.
func (a *Access) Provision(ctx caddy.Context) (err error) {
	a.MaxBody = cmp.Or(a.MaxBody, gateway.DefaultMaxBody)
	if a.app, err = appOf(ctx); err != nil {
		return err
	}
	a.core = afterStart(func(shared *Shared) *gateway.Access {
		return &gateway.Access{
			Sidecar: shared.Sidecar,
			Routes:  shared.Routes,
			Models:  shared.models,
			MaxBody: a.MaxBody,
			Bodies:  &shared.Bodies,
			Decided: func(w http.ResponseWriter, d policy.Decision) { a.app.exposeRule(w, d.Rule) },
		}
	})
	return a.app.addStep(ctx, stepAccess)
}

// Validate checks the options.
func (a *Access) Validate() error {
	if a.MaxBody < 1 {
		return fmt.Errorf("max_body must be positive, is %d", a.MaxBody)
	}
	return nil
}

func (a *Access) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	q, shared, err := requestOf(a.app, r, stepAccess)
	if err != nil {
		return err
	}
	return handOn(a.core(shared).Serve(w, r, q, next.ServeHTTP))
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Access)(nil)
	_ caddy.Validator             = (*Access)(nil)
	_ caddyhttp.MiddlewareHandler = (*Access)(nil)
)
