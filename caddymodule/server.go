package caddymodule

import (
	"net/http"
	"slices"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/svc-games/svc/api/answers"
)

// otherHosts stands in the last route of a server that serves certain hosts
// alone, and answers 421 to requests for all others. Caddy answers them 200 with
// nothing, which a health check takes for a service that works.
type otherHosts struct {
	last  caddyhttp.MatcherSets // of the route before this handler came into it
	hosts []caddyhttp.RequestMatcherWithError
}

// CaddyModule names the handler as a site's own, after which Caddy's metrics
// call the route.
func (*otherHosts) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.subroute", New: func() caddy.Module { return new(caddyhttp.Subroute) }}
}

// refuseOtherHosts puts otherHosts into the server that is being provisioned,
// unless it has a site for every host. No module can add a route to its server;
// the last one lets all requests in instead, and its own on from there.
func refuseOtherHosts(ctx caddy.Context) {
	server, ok := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	if !ok || len(server.Routes) == 0 {
		return
	}
	var hosts []caddyhttp.RequestMatcherWithError
	for _, route := range server.Routes {
		of := hostsOf(route.MatcherSets)
		if of == nil {
			return // for every host, or this has been done
		}
		hosts = append(hosts, of...)
	}
	last := &server.Routes[len(server.Routes)-1]
	guard := &otherHosts{last: last.MatcherSets, hosts: hosts}
	// Its handlers follow: Caddy appends those of the route that it is loading, and of later ones.
	last.MatcherSets, last.Handlers = nil, append(last.Handlers, guard)
}

// hostsOf returns the matchers of a route's hosts, nil when it is for all hosts.
func hostsOf(sets caddyhttp.MatcherSets) (hosts []caddyhttp.RequestMatcherWithError) {
	for _, set := range sets {
		before := len(hosts)
		for _, matcher := range set {
			if host, ok := matcher.(*caddyhttp.MatchHost); ok {
				hosts = append(hosts, host)
			}
		}
		if len(hosts) == before {
			return nil
		}
	}
	return hosts
}

func (o *otherHosts) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	mine, err := o.last.AnyMatchWithError(r)
	if err != nil {
		return err
	}
	if mine {
		return next.ServeHTTP(w, r)
	}
	for _, host := range o.hosts {
		if served, err := host.MatchWithError(r); served || err != nil {
			return err // of another site, which has had it
		}
	}
	requestID(w, r)
	refused := &answers.Error{Status: http.StatusMisdirectedRequest, Message: "No site at this address has this host name."}
	refused.WriteTo(w)
	return nil
}

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

// Interface guards
var _ caddyhttp.MiddlewareHandler = (*otherHosts)(nil)
