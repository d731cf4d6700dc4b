// Package embedded hosts the sidecar and the engine proxy in Caddy's own
// process: the form of the service for one machine. A build of Caddy without
// this package is a gateway alone.
package embedded

import "github.com/caddyserver/caddy/v2"

func init() {
	caddy.RegisterModule(Sidecar{})
	caddy.RegisterModule(Engines{})
}
