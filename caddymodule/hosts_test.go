package caddymodule_test

import (
	"net/http"
	"testing"
)

// wantHost asks a path for a host and wants the status.
func (g *testGateway) wantHost(host, path string, status int) answer {
	g.t.Helper()
	req, err := http.NewRequestWithContext(g.t.Context(), http.MethodGet, "http://"+g.addr+path, nil)
	if err != nil {
		g.t.Fatal(err)
	}
	req.Host = host
	got := g.do(req)
	if got.StatusCode != status {
		g.t.Errorf("%s at %q is %d %q, want %d", path, host, got.StatusCode, got.body, status)
	}
	return got
}

// TestAHostThatNoSiteServesIsRefused: an empty 200 would tell a health check that
// all is well, and an integrator that the key was checked.
func TestAHostThatNoSiteServesIsRefused(t *testing.T) {
	const api = "\tsvc_api\n\thandle /openapi.yaml {\n\t\tsvc_openapi\n\t}\n"
	const other = "}\nhttp://other.example:{port} {\n\trespond /hello hi\n"
	t.Run("the shipped Caddyfile", func(t *testing.T) {
		g := shipped(t, newFakeBackend(t))
		for _, path := range []string{"/v1/projects", "/v1/generate", "/openapi.yaml", "/", "/health"} {
			got := g.wantHost("192.0.2.1", path, http.StatusMisdirectedRequest)
			if got.body != `{"error":"No site at this address has this host name."}`+"\n" ||
				got.Header.Get("Content-Type") != "application/json" || got.Header.Get("X-Request-Id") == "" {
				t.Errorf("%s: %v %q", path, got.Header, got.body)
			}
		}
		g.wantHost(g.addr, "/v1/projects", http.StatusUnauthorized)
		g.wantHost(g.addr, "/openapi.yaml", http.StatusOK)
		g.wantHost(g.addr, "/health", http.StatusNotFound)
	})
	for name, second := range map[string]string{"before another site": other, "beside another site's chain": other + "\tsvc_api\n"} {
		t.Run(name, func(t *testing.T) {
			g := newFakeBackend(t).gateway(t, api+second)
			g.wantHost("192.0.2.1", "/v1/projects", http.StatusMisdirectedRequest)
			g.wantHost(g.addr, "/v1/projects", http.StatusUnauthorized)
			if got := g.wantHost("other.example", "/hello", http.StatusOK); got.body != "hi" {
				t.Errorf("the other site says %q", got.body)
			}
			g.wantHost("other.example", "/else", http.StatusOK) // Caddy's answer, as ever
		})
	}
	t.Run("a site for every host", func(t *testing.T) {
		g := newFakeBackend(t).gateway(t, api+"}\nhttp://:{port} {\n\trespond hi\n")
		if got := g.wantHost("192.0.2.1", "/v1/projects", http.StatusOK); got.body != "hi" {
			t.Errorf("it says %q", got.body)
		}
	})
}
