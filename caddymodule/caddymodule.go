// Package caddymodule holds the service's Caddy modules. Each is thin: it
// translates configuration and errors, and leaves the work to package gateway.
//
// In the order of the chain:
//
//	svc_auth      who sends the request: 401, 503
//	svc_access    which project or job, and may they: 400 403 404 405 413 415 429
//	svc_projects  answers /v1/projects itself
//	svc_engine    where the project's engine is: 503 while it starts; answers
//	              status, cancellation and everything of ended jobs itself
//	svc_quota     reserve, then commit or release: 429, 503, 504
//	reverse_proxy with "dynamic svc_engine"
//	svc_error     inside handle_errors: the one renderer of errors
//
// svc_api is shorthand for the whole chain. The app svc holds what they share
// and survives reloads.
package caddymodule

import (
	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
)

func init() {
	caddy.RegisterModule(App{})
	caddy.RegisterModule(Auth{})
	caddy.RegisterModule(Access{})
	caddy.RegisterModule(Projects{})
	caddy.RegisterModule(Engine{})
	caddy.RegisterModule(Quota{})
	caddy.RegisterModule(Upstreams{})
	caddy.RegisterModule(ErrorRenderer{})
	caddy.RegisterModule(OpenAPI{})
	caddy.RegisterModule((*Console)(nil))
	caddy.RegisterModule(Preview{})
	caddy.RegisterModule((*Play)(nil))
	caddy.RegisterModule(Admin{})
	caddy.RegisterModule(KeyEncoder{})
	caddy.RegisterModule(Connections{})

	httpcaddyfile.RegisterGlobalOption("svc", parseApp)
	httpcaddyfile.RegisterHandlerDirective("svc_auth", parseHandler[Auth])
	httpcaddyfile.RegisterHandlerDirective("svc_access", parseHandler[Access])
	httpcaddyfile.RegisterHandlerDirective("svc_projects", parseHandler[Projects])
	httpcaddyfile.RegisterHandlerDirective("svc_engine", parseHandler[Engine])
	httpcaddyfile.RegisterHandlerDirective("svc_quota", parseHandler[Quota])
	httpcaddyfile.RegisterHandlerDirective("svc_error", parseHandler[ErrorRenderer])
	httpcaddyfile.RegisterHandlerDirective("svc_openapi", parseHandler[OpenAPI])
	httpcaddyfile.RegisterHandlerDirective("svc_console", parseHandler[Console])
	httpcaddyfile.RegisterHandlerDirective("svc_preview", parseHandler[Preview])
	httpcaddyfile.RegisterHandlerDirective("svc_play", parseHandler[Play])
	httpcaddyfile.RegisterDirective("svc_api", parseAPI)

	// Beside "handle {…}" as a site's catch-all, API and console must come first.
	httpcaddyfile.RegisterDirectiveOrder("svc_api", httpcaddyfile.Before, "handle")
	httpcaddyfile.RegisterDirectiveOrder("svc_console", httpcaddyfile.Before, "handle")
	httpcaddyfile.RegisterDirectiveOrder("svc_play", httpcaddyfile.Before, "handle")
	// Each lands directly before reverse_proxy, so after the one above it.
	for _, name := range []string{"svc_auth", "svc_access", "svc_projects", "svc_engine", "svc_quota", "svc_openapi", "svc_preview", "svc_error"} {
		httpcaddyfile.RegisterDirectiveOrder(name, httpcaddyfile.Before, "reverse_proxy")
	}
}
