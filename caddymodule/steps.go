package caddymodule

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/caddymodule/gateway"
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

// steps knows which steps the servers of one configuration have so far. Caddy
// provisions handlers in the order in which they will run, one at a time, so
// a step whose predecessor is not there yet will never find its work done.
type steps map[*caddyhttp.Server]map[step]bool

// add notes a step of the server that is being provisioned, or refuses one
// that comes too early. Named routes are provisioned apart from where they are
// invoked: with them nothing can be known, and each request finds out by itself.
func (c *steps) add(ctx caddy.Context, s step) error {
	server, ok := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	if !ok || len(server.NamedRoutes) > 0 {
		return nil
	}
	if *c == nil {
		*c = make(steps)
	}
	have := (*c)[server]
	if have == nil {
		have = make(map[step]bool)
		(*c)[server] = have
	}
	if first, needs := before[s]; needs && !have[first] {
		return fmt.Errorf("%s must come before %s: write them in this order inside a route, or use svc_api", first, s)
	}
	have[s] = true
	return nil
}

// requestOf returns what the chain learned about the request before a step, and the
// backend. Named routes are put together by each request, so that a step which is
// missing is found out here.
func requestOf(app *App, r *http.Request, s step) (*gateway.Request, *Shared, error) {
	q := gateway.RequestOf(r)
	switch {
	case q == nil:
		return nil, nil, comesBefore(stepAuth, s)
	case s != stepAccess && q.Route.Action == "":
		return nil, nil, comesBefore(stepAccess, s)
	}
	shared, err := app.Shared(r.Context())
	if err != nil {
		return nil, nil, refuse(answers.Unavailable("The service is starting.", time.Second, err))
	}
	return q, shared, nil
}

// comesBefore is the error of a request whose route lacks a step.
func comesBefore(first, s step) error {
	return caddyhttp.Error(http.StatusInternalServerError, fmt.Errorf("%s must come before %s", first, s))
} // afterStart returns a function that makes a handler's core when it is first
// called, and returns the same from then on. What the core needs is open once the
// app has started, which comes after the handler's Provision.
func afterStart[T any](build func(*Shared) *T) func(*Shared) *T {
	var once sync.Once
	var core *T
	return func(s *Shared) *T {
		once.Do(func() { core = build(s) })
		return core
	}
}

// nextOf returns h as the core calls it. This is the only place that knows how
// reverse_proxy says that it sent nothing, since it could not connect.
func nextOf(h caddyhttp.Handler) gateway.Next {
	return func(w http.ResponseWriter, r *http.Request) error {
		err := h.ServeHTTP(w, r)
		if dial := (reverseproxy.DialError{}); errors.As(err, &dial) {
			return fmt.Errorf("%w: %w", gateway.ErrNotSent, err)
		}
		return err
	}
}

// handOn gives a refusal of ours its status, so that Caddy hands it to handle_errors.
// Other errors stay as they are.
func handOn(err error) error {
	if err == nil {
		return nil // what errors.As needs is allocated
	}
	if refused, ok := errors.AsType[*answers.Error](err); ok {
		return refuse(refused)
	}
	return err
}
