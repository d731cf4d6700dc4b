package caddymodule

import (
	"fmt"
	"net/http"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/svc-games/svc/caddymodule/gateway"
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

	app *App
}

// CaddyModule returns the Caddy module information.
func (Access) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.svc_access", New: func() caddy.Module { return new(Access) }}
}

// Provision sets defaults.
func (a *Access) Provision(ctx caddy.Context) (err error) {
	if a.MaxBody == 0 {
		a.MaxBody = gateway.DefaultMaxBody
	}
	if a.app, err = appOf(ctx); err != nil {
		return err
	}
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
	q, shared, err := known(a.app, r, stepAccess)
	if err != nil {
		return err
	}
	defer q.ReleaseBody() // not before the engine has the body
	check := gateway.Access{Routes: shared.Routes, Sidecar: shared.checks, MaxBody: a.MaxBody, Bodies: &shared.Bodies}
	refused := check.Check(w, r, q)
	a.app.exposeRule(w, q.Decision.Rule)
	if refused != nil {
		return refuse(refused)
	}
	if q.Replay != nil {
		return gateway.WriteReplay(w, q.Replay)
	}
	return next.ServeHTTP(w, r)
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Access)(nil)
	_ caddy.Validator             = (*Access)(nil)
	_ caddyhttp.MiddlewareHandler = (*Access)(nil)
)
