package caddymodule_test

import (
	"net/http"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func init() { caddy.RegisterModule(otherUser{}) }

// otherUser stands where some other way of authentication has found a user.
type otherUser struct{}

func (otherUser) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.test_user", New: func() caddy.Module { return new(otherUser) }}
}

func (otherUser) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer).Set("http.auth.user.id", "somebody")
	return next.ServeHTTP(w, r)
}

func TestPlaceholdersSayWhoWhatAndWhy(t *testing.T) {
	d := newFakeBackend(t)
	key := d.key("key_1", "")
	g := d.gateway(t, "\troute {\n\t\tsvc_auth\n\t\tsvc_access\n"+
		"\t\trespond \"{http.auth.user.id} {svc.key.id} {svc.action} {svc.project.id} {svc.job.id} {svc.rule}\"\n\t}")
	const whole = "user_key_1 key_1 status " + testProject + " " + testJob + " svc.project.owner"
	if got := g.send("GET", "/v1/generate/"+testJob+"/status", key, ""); got.body != whole {
		t.Errorf("got %q, want %q", got.body, whole)
	}
	const none = "user_key_1 key_1 projects.list {svc.project.id} {svc.job.id} svc.project.owner" // as Caddy has it
	if got := g.send("GET", "/v1/projects", key, ""); got.body != none {
		t.Errorf("got %q, want %q", got.body, none)
	}
	config := replaceHandler(t, string(g.config(globals, "\troute {\n\t\theader Server test\n\t\tsvc_auth\n\t\trespond {http.auth.user.id}\n\t}")),
		"headers", `{"handler":"test_user"}`)
	g.replace([]byte(config))
	if got := g.send("GET", "/v1/projects", key, ""); got.body != "user_key_1" {
		t.Errorf("after another handler's user: %q", got.body)
	}
}
