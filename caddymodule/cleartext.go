package caddymodule

import (
	"slices"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// forgoHTTP2 leaves HTTP/1 alone to the server that is being provisioned, unless
// it has TLS or names h2c. Caddy says that it skips HTTP/2 there, and serves it
// all the same to a client that begins with it.
func forgoHTTP2(ctx caddy.Context) {
	server, ok := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	if !ok || len(server.TLSConnPolicies) > 0 {
		return
	}
	server.Protocols = cleartext(server.Protocols)
	for i, ofOne := range server.ListenProtocols {
		server.ListenProtocols[i] = cleartext(ofOne)
	}
}

// cleartext returns those of a server's protocols that it is meant to speak
// without TLS. Those without HTTP/1 stay: Caddy listens for none of them.
func cleartext(protocols []string) []string {
	if slices.Contains(protocols, "h2c") || !slices.Contains(protocols, "h1") {
		return protocols
	}
	return []string{"h1"}
}
