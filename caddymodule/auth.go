package caddymodule

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strconv"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/block"
	"github.com/svc-games/svc/caddymodule/gateway"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/span"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// Auth finds out who sends a request, from the API key in "Authorization:
// Bearer" or "X-API-Key". It refuses with 401 a key that is missing, unknown,
// disabled or revoked, and with 503 when keys can't be checked or the key's
// requests come too fast. Both headers are removed from the request. With the
// app's option cors it answers the preflights of browsers.
//
// It also counts every request of the chain, and refuses to be part of a
// configuration whose logs would show keys. Requests to its server for a host that
// no site has are answered 421. Without TLS its server speaks HTTP/1 alone, unless
// its protocols name h2c.
//
// It sets these placeholders:
//
//	Placeholder           | Description
//	----------------------|------------------------------
//	{http.auth.user.id}   | the user who owns the key
//	{svc.key.id}          | the key's id, which is no secret
//
// and these fields of the access log, beside Caddy's user_id:
//
//	Field       | Description
//	------------|------------------------------
//	request_id  | the request's X-Request-Id
//	svc_key     | the key's id
type Auth struct {
	// How many requests a key may send, whatever they ask for. An excess is
	// answered 503 with Retry-After. With the app's option redis all gateways
	// count together. Default: 100 a second, 200 at once.
	Rate *RateLimit `json:"rate,omitempty"`

	// How many keys that are refused an address may send before further ones are
	// looked up four at a time, and answered 503 with Retry-After when as many
	// are. A key that this gateway found good the last time is looked up all the
	// same. Each gateway counts for itself. Default: 1 a second, 20 at once.
	FailedRate *RateLimit `json:"failed_rate,omitempty"`

	app   *App
	core  *gateway.Auth
	cors  gateway.CORS
	rates *rates
	redis string // under which rates were opened
}

// Caddyfile implements Configurable. Syntax:
//
//	svc_auth {
//	    rate        <per second> [<burst>] | off
//	    failed_rate <per second> [<burst>] | off
//	}
func (a *Auth) Caddyfile() block.Options {
	const form = "<per second> [<burst>] | off"
	return block.Options{
		{Name: "rate", Form: form, Read: readRate(&a.Rate), Default: "`100 200`",
			Meaning: "how many requests one key may send; the burst is twice the rate where it is not given"},
		{Name: "failed_rate", Form: form, Read: readRate(&a.FailedRate), Default: "`1 20`", Meaning: "how many refused keys one address may send"},
	}
}

// CaddyModule returns the Caddy module information.
func (Auth) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.svc_auth", New: func() caddy.Module { return new(Auth) }}
}

// Provision sets defaults and finds the app.
func (a *Auth) Provision(ctx caddy.Context) (err error) {
	a.Rate = cmp.Or(a.Rate, &RateLimit{PerSecond: 100, Burst: 200})
	a.FailedRate = cmp.Or(a.FailedRate, &RateLimit{PerSecond: 1, Burst: 20})
	if err := checkLogs(ctx); err != nil {
		return err
	}
	if err := RegisterMetrics(ctx, registry); err != nil {
		return err
	}
	if a.app, err = appOf(ctx); err != nil {
		return err
	}
	if err := a.app.addStep(ctx, stepAuth); err != nil {
		return err
	}
	refuseOtherHosts(ctx)
	forgoHTTP2(ctx)
	a.redis = a.app.Redis
	if a.rates, err = openRates(a.redis, ctx.Logger()); err != nil {
		return err
	}
	a.cors = gateway.CORS{Origins: a.app.CORS}
	a.core = &gateway.Auth{Sidecar: a.app.openSidecar, Rates: a.rates.Rates, Rate: a.Rate.limit(), FailedRate: a.FailedRate.limit(), Request: clientRequest}
	return nil
}

// Validate checks the options.
func (a *Auth) Validate() error {
	return errors.Join(a.Rate.validate("rate"), a.FailedRate.validate("failed_rate"))
}

// Cleanup gives the state of request rates back.
func (a *Auth) Cleanup() error {
	if a.rates == nil {
		return nil
	}
	_, err := allRates.Delete(a.redis)
	return err
}

// deprecations are the operations whose answers say that they are on their way out; a
// test has one.
var deprecations = answers.Deprecations()

func (a *Auth) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) (err error) {
	requestID(w, r)
	if len(deprecations) > 0 {
		answers.SetDeprecation(w.Header(), deprecations, r.Method, r.URL.Path)
	}
	if a.cors.Apply(w.Header(), r) {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	var q *gateway.Request
	seen := caddyhttp.NewResponseRecorder(w, nil, nil)
	defer func() { // also when the proxy panics with http.ErrAbortHandler
		metrics.ended(q, seen.Status(), err)
		describeSpan(r.Context(), q, err)
	}()
	var refused *answers.Error
	q, refused = a.core.Identify(r, clientIP(r))
	if q != nil { // known, if perhaps disabled or revoked
		exposeFacts(r, q)
	}
	if refused != nil {
		if q != nil {
			a.app.exposeRule(w, q.Decision.Rule)
		}
		return refuse(refused)
	}
	return next.ServeHTTP(seen, gateway.WithRequest(r, q))
}

// clientIP is Caddy's idea of the client's address, not valid where it has none.
func clientIP(r *http.Request) netip.Addr {
	text, _ := caddyhttp.GetVar(r.Context(), caddyhttp.ClientIPVarKey).(string)
	address, _ := netip.ParseAddr(text)
	return address
}

// clientAddress gives a request Caddy's idea of the client's address, for handlers that
// know nothing of Caddy.
func clientAddress(r *http.Request) {
	if ip, ok := caddyhttp.GetVar(r.Context(), caddyhttp.ClientIPVarKey).(string); ok && ip != "" {
		r.RemoteAddr = net.JoinHostPort(ip, "0")
	}
}

// fieldRequestID is what logs call that by which a client knows its request.
const fieldRequestID = "request_id"

// requestID names the request to its client and in the access log, and returns the name.
func requestID(w http.ResponseWriter, r *http.Request) string {
	id := requestIDOf(r.Context())
	if id == "" {
		return ""
	}
	w.Header().Set("X-Request-Id", id)
	if extra, ok := r.Context().Value(caddyhttp.ExtraLogFieldsCtxKey).(*caddyhttp.ExtraLogFields); ok {
		extra.Set(zap.String(fieldRequestID, id)) // the error chain comes here too
	}
	return id
}

// requestIDOf returns what the client knows a request of Caddy's by, "" for any other.
func requestIDOf(ctx context.Context) string {
	repl, ok := ctx.Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	if !ok {
		return ""
	}
	id, _ := repl.GetString("http.request.uuid")
	return id
}

// clientRequest returns what the policy may know of a request of Caddy's.
func clientRequest(ctx context.Context) peer.Request {
	repl, ok := ctx.Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	if !ok {
		return peer.Request{}
	}
	id, _ := repl.GetString("http.request.uuid")
	method, _ := repl.GetString("http.request.method")
	userAgent, _ := repl.GetString("http.request.header.User-Agent")
	address, _ := caddyhttp.GetVar(ctx, caddyhttp.ClientIPVarKey).(string)
	return gateway.Facts(id, address, method, userAgent)
}

// named gives the sidecar the request for which it decides. It stands behind the cache,
// so that a decision from memory costs nothing more.
type named struct{ sidecar.Service }

func (n named) Authenticate(ctx context.Context, hash mint.KeyHash) (sidecar.Identity, error) {
	ctx, end := span.Start(ctx, "sidecar", "authenticate")
	identity, err := n.Service.Authenticate(peer.WithRequest(ctx, clientRequest(ctx)), hash)
	end(err)
	return identity, err
}

func (n named) Decide(ctx context.Context, keyID, projectID string, action policy.Action) (policy.Decision, error) {
	ctx, end := span.Start(ctx, "sidecar", "decide")
	d, err := n.Service.Decide(peer.WithRequest(ctx, clientRequest(ctx)), keyID, projectID, action)
	end(err)
	return d, err
}

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

// describeSpan adds what the chain learned about a request to its span, where it is
// traced. Caddy's own module, which is before it, does not see how refusals end.
func describeSpan(ctx context.Context, q *gateway.Request, err error) {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return
	}
	span.Describe(ctx, "svc.request_id", requestIDOf(ctx))
	if q != nil {
		span.Describe(ctx, "svc.user", q.UserID)
		for _, fact := range facts {
			if fact.field != "" {
				span.Describe(ctx, fact.placeholder, fact.of(q))
			}
		}
	}
	if err != nil {
		span.Describe(ctx, "svc.refused", strconv.Itoa(answerTo(err).Status))
	}
}

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
var (
	_ caddy.Provisioner           = (*Auth)(nil)
	_ caddy.Validator             = (*Auth)(nil)
	_ caddy.CleanerUpper          = (*Auth)(nil)
	_ caddyhttp.MiddlewareHandler = (*Auth)(nil)
	_ zapcore.ObjectMarshaler     = factsOf{}
)
