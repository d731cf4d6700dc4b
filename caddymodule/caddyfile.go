package caddymodule

import (
	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/svc-games/svc/block"
)

// Configurable is a module with options in the Caddyfile.
type Configurable interface {
	// Caddyfile returns the options, which are read into the module.
	Caddyfile() block.Options
}

// parseHandler sets up the handler *T from the tokens of its directive.
func parseHandler[T any, H interface {
	*T
	Configurable
	caddyhttp.MiddlewareHandler
}](h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	handler := H(new(T))
	return handler, block.Directive(h.Dispenser, handler.Caddyfile())
}

// Duration reads one argument, a duration of more than zero in Caddy's notation.
func Duration(dst *caddy.Duration) block.Reader {
	return block.Value(dst, "a duration like 30s", func(text string) (caddy.Duration, bool) {
		d, err := caddy.ParseDuration(text)
		return caddy.Duration(d), err == nil && d > 0
	})
}
