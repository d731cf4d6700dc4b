package caddymodule

import (
	"net/http"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/svc-games/svc/block"
	"github.com/svc-games/svc/caddymodule/gateway"
)

// Preview serves the games that the console shows in a frame. It stands at an
// origin of its own, which svc_console's option preview names: a game is
// hostile input and must not share one with the console.
type Preview struct {
	app  *App
	core func(*Shared) *gateway.Console
}

// Caddyfile implements Configurable. Syntax:
//
//	svc_preview
func (*Preview) Caddyfile() block.Options { return nil }

// CaddyModule returns the Caddy module information.
func (Preview) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.svc_preview", New: func() caddy.Module { return new(Preview) }}
}

// Provision finds the app.
func (p *Preview) Provision(ctx caddy.Context) (err error) {
	logger := ctx.Logger()
	p.core = afterStart(func(shared *Shared) *gateway.Console { return consoleCore(shared, logger) })
	p.app, err = appOf(ctx)
	return err
}

func (p *Preview) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	shared, err := p.app.Shared(r.Context())
	if err != nil {
		return caddyhttp.Error(http.StatusServiceUnavailable, err)
	}
	handler, err := shared.previews.handler()
	if err != nil {
		return caddyhttp.Error(http.StatusServiceUnavailable, err)
	}
	return toHandlerError(p.core(shared).Serve(w, r, handler, nil), 0)
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Preview)(nil)
	_ caddyhttp.MiddlewareHandler = (*Preview)(nil)
)
