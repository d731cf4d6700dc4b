package caddymodule

import (
	"errors"
	"net/http"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"

	"github.com/svc-games/svc/block"
	"github.com/svc-games/svc/caddymodule/gateway"
	"github.com/svc-games/svc/policy"
)

// Upstreams is the upstream source of reverse_proxy: the engine that
// svc_engine found. It is instant, and knows nothing without svc_engine.
type Upstreams struct{}

// CaddyModule returns the Caddy module information.
func (Upstreams) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.reverse_proxy.upstreams.svc_engine",
		New: func() caddy.Module { return new(Upstreams) },
	}
}

// Provision refuses a proxy without the steps before it: without svc_quota
// every submission would go uncounted, if the engine took it.
func (*Upstreams) Provision(ctx caddy.Context) error {
	app, err := appOf(ctx)
	if err != nil {
		return err
	}
	return app.addStep(ctx, stepProxy)
}

// GetUpstreams returns the one engine of the request. That the steps before it are
// there can't always be seen when the configuration is loaded: another route may
// have them, or one that is invoked by its name.
func (*Upstreams) GetUpstreams(r *http.Request) ([]*reverseproxy.Upstream, error) {
	q := gateway.RequestOf(r)
	if q == nil || q.Lease == nil {
		return nil, errors.New("svc_engine must come before reverse_proxy")
	}
	if q.Route.Action == policy.ActionGenerate && q.Admitted == "" {
		return nil, errors.New("svc_quota must come before reverse_proxy: the submission would go uncounted")
	}
	return []*reverseproxy.Upstream{{Dial: caddy.JoinNetworkAddress(q.Lease.Network, q.Lease.Address, "")}}, nil
}

// UnmarshalCaddyfile sets up the source from Caddyfile tokens. Syntax:
//
//	dynamic svc_engine
func (*Upstreams) UnmarshalCaddyfile(d *caddyfile.Dispenser) error { return block.Directive(d, nil) }

// Interface guards
var (
	_ caddy.Provisioner           = (*Upstreams)(nil)
	_ reverseproxy.UpstreamSource = (*Upstreams)(nil)
	_ caddyfile.Unmarshaler       = (*Upstreams)(nil)
)
