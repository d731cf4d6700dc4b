package caddymodule

import (
	"net/http"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/svc-games/svc/block"
	"github.com/svc-games/svc/caddymodule/gateway"
)

// Projects answers /v1/projects and passes everything else on.
type Projects struct {
	app  *App
	core func(*Shared) *gateway.Projects
}

// Caddyfile implements Configurable. Syntax:
//
//	svc_projects
func (*Projects) Caddyfile() block.Options { return nil }

// CaddyModule returns the Caddy module information.
func (Projects) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.svc_projects", New: func() caddy.Module { return new(Projects) }}
}

// Provision finds the app.
func (p *Projects) Provision(ctx caddy.Context) (err error) {
	if p.app, err = appOf(ctx); err != nil {
		return err
	}
	p.core = afterStart(func(shared *Shared) *gateway.Projects {
		return &gateway.Projects{Sidecar: shared.Sidecar, Engines: shared.Engines}
	})
	return p.app.addStep(ctx, stepProjects)
}

func (p *Projects) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	q, shared, err := requestOf(p.app, r, stepProjects)
	if err != nil {
		return err
	}
	if !q.Route.OfProjects() {
		return next.ServeHTTP(w, r)
	}
	return handOn(p.core(shared).Serve(w, r, q))
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Projects)(nil)
	_ caddyhttp.MiddlewareHandler = (*Projects)(nil)
)
