package caddymodule

import (
	"fmt"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// step is a module's place in the chain.
type step string

const (
	stepAuth     step = "svc_auth"
	stepAccess   step = "svc_access"
	stepProjects step = "svc_projects"
	stepEngine   step = "svc_engine"
	stepQuota    step = "svc_quota"
	stepProxy    step = "dynamic svc_engine"
)

// before names the step that each needs before it.
var before = map[step]step{
	stepAccess:   stepAuth,
	stepProjects: stepAccess,
	stepEngine:   stepAccess,
	stepQuota:    stepEngine,
	stepProxy:    stepQuota,
}

// chain knows which steps the servers of one configuration have so far. Caddy
// provisions handlers in the order in which they will run, one at a time, so
// a step whose predecessor is not there yet will never find its work done.
type chain map[*caddyhttp.Server]map[step]bool

// add notes a step of the server that is being provisioned, or refuses one
// that comes too early. Named routes are provisioned apart from where they are
// invoked: with them nothing can be known, and each request finds out by itself.
func (c *chain) add(ctx caddy.Context, s step) error {
	server, ok := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	if !ok || len(server.NamedRoutes) > 0 {
		return nil
	}
	if *c == nil {
		*c = make(chain)
	}
	steps := (*c)[server]
	if steps == nil {
		steps = make(map[step]bool)
		(*c)[server] = steps
	}
	if first, needs := before[s]; needs && !steps[first] {
		return fmt.Errorf("%s must come before %s: write them in this order inside a route, or use svc_api", first, s)
	}
	steps[s] = true
	return nil
}
