package caddymodule_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

func TestCaddyfilesOfDeploymentsHoldTheChainOfTheShippedOne(t *testing.T) {
	shipped := adapted(t, "../Caddyfile")
	for name, tc := range map[string]struct {
		text string
		asks []string
	}{
		"kubernetes": {file(t, "../deploy/kubernetes/base/Caddyfile"), []string{"svc-sidecar.svc.svc.cluster.local:7442", "svc-engine-proxy.svc.svc.cluster.local:7443"}},
		"compose":    {file(t, "../deploy/compose/gateway.caddyfile"), []string{"sidecar:7442", "engines:7443"}},
	} {
		t.Run(name, func(t *testing.T) { holdsTheChain(t, tc.text, shipped, tc.asks) })
	}
}

func holdsTheChain(t *testing.T, text, shipped string, asks []string) {
	t.Helper()
	if formatted := string(caddyfile.Format([]byte(text))); formatted != text {
		t.Errorf("it is not formatted; it should be\n%s", formatted)
	}
	got, err := adapt(t, text)
	if err != nil {
		t.Fatal(err)
	}
	// The shipped one is for one host, which is a level of its own; its metrics and its probe
	// are at Caddy's admin API alone.
	chain := func(config string) []string {
		return slices.DeleteFunc(handlers(t, config), func(name string) bool {
			return slices.Contains([]string{"subroute", "metrics", "static_response"}, name)
		})
	}
	// Games have a host of their own, before that which takes all others.
	if games := append([]string{"svc_play"}, chain(shipped)...); !slices.Equal(chain(got), games) {
		t.Errorf("it has the handlers %q, and the shipped one, with games, %q", chain(got), games)
	}
	for _, address := range asks {
		if !strings.Contains(got, `"address":"`+address+`"`) {
			t.Errorf("it does not ask %s:\n%s", address, got)
		}
	}
}

// TestBalancerOfComposeListensAtThePortsThatArePublished: with a name it has TLS, and leads
// clients there.
func TestBalancerOfComposeListensAtThePortsThatArePublished(t *testing.T) {
	for _, tc := range []struct{ site, want string }{{"http://", ":8080"}, {"games.example.com, play.example.com", ":8443"}} {
		t.Setenv("SVC_SITE", tc.site)
		var config struct {
			Apps struct {
				HTTP struct {
					Port    int `json:"http_port"`
					TLSPort int `json:"https_port"`
					Servers map[string]struct{ Listen []string }
				}
			}
		}
		if err := json.Unmarshal([]byte(adapted(t, "../deploy/compose/balancer.caddyfile")), &config); err != nil {
			t.Fatal(err)
		}
		h := config.Apps.HTTP
		var listen []string
		for _, server := range h.Servers {
			listen = append(listen, server.Listen...)
		}
		if !slices.Equal(listen, []string{tc.want}) || h.Port != 8080 || h.TLSPort != 8443 {
			t.Errorf("%q: it listens at %q, and takes %d and %d for the ports of clients", tc.site, listen, h.Port, h.TLSPort)
		}
	}
}

func adapted(t *testing.T, path string) string {
	t.Helper()
	config, err := adapt(t, file(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func file(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
