package caddymodule

import (
	"net/http"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/svc-games/svc/caddymodule/gateway"
)

// facts are what the chain learns about a request: each is a placeholder and a
// field of the access log, which has the user without us. A fact that is not
// known is "", and is then neither.
var facts = []struct {
	placeholder, field string
	of                 func(*gateway.Request) string
}{
	{placeUser, "", func(q *gateway.Request) string { return q.UserID }},
	{"svc.key.id", "svc_key", func(q *gateway.Request) string { return q.KeyID }},
	{"svc.action", "svc_action", func(q *gateway.Request) string { return string(q.Route.Action) }},
	{"svc.project.id", "svc_project", func(q *gateway.Request) string { return q.ProjectID }},
	{"svc.job.id", "svc_job", (*gateway.Request).JobID},
	{"svc.rule", "svc_rule", func(q *gateway.Request) string { return q.Decision.Rule }},
}

// placeUser is where Caddy itself looks for the user.
const placeUser = "http.auth.user.id"

// exposeFacts makes what the chain learns about a request known to the rest of the
// configuration. Facts are looked up when someone reads them, and say what is
// known by then, however the request ends: setting each as it is learned
// allocates for every request, and most are read by none.
func exposeFacts(r *http.Request, q *gateway.Request) {
	repl := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	repl.Delete(placeUser) // one that another handler found does not count here
	repl.Map(factsOf{q}.replace)
	if extra, ok := r.Context().Value(caddyhttp.ExtraLogFieldsCtxKey).(*caddyhttp.ExtraLogFields); ok {
		extra.Add(zap.Inline(factsOf{q}))
	}
}

// factsOf reads the facts of a request.
type factsOf struct{ q *gateway.Request }

// replace is a caddy.ReplacerFunc.
func (t factsOf) replace(placeholder string) (any, bool) {
	for _, fact := range facts {
		if fact.placeholder == placeholder {
			value := fact.of(t.q)
			return value, value != ""
		}
	}
	return nil, false
}

// MarshalLogObject implements zapcore.ObjectMarshaler.
func (t factsOf) MarshalLogObject(line zapcore.ObjectEncoder) error {
	for _, fact := range facts {
		if value := fact.of(t.q); value != "" && fact.field != "" {
			line.AddString(fact.field, value)
		}
	}
	return nil
}

// Interface guards
var _ zapcore.ObjectMarshaler = factsOf{}
