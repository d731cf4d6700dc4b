package caddymodule

import (
	"context"

	"github.com/caddyserver/caddy/v2"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// named tells the sidecar for which request it decides. It stands behind the cache,
// so that a decision from memory costs nothing more.
type named struct{ sidecar.Service }

func (n named) Authenticate(ctx context.Context, hash api.KeyHash) (sidecar.Identity, error) {
	return n.Service.Authenticate(withRequestID(ctx), hash)
}

func (n named) Decide(ctx context.Context, keyID, projectID string, action policy.Action) (policy.Decision, error) {
	return n.Service.Decide(withRequestID(ctx), keyID, projectID, action)
}

// withRequestID returns the context of a request of Caddy's with what its client knows
// it by; any other as it is.
func withRequestID(ctx context.Context) context.Context {
	repl, ok := ctx.Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	if !ok {
		return ctx
	}
	id, ok := repl.GetString("http.request.uuid")
	if !ok {
		return ctx
	}
	return peer.WithRequestID(ctx, id)
}
