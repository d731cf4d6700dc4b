package caddymodule_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

func TestCaddyfileOfTheClusterHoldsTheChainOfTheShippedOne(t *testing.T) {
	manifest, err := os.ReadFile("../deploy/kubernetes/gateway.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(manifest), "\n  Caddyfile: |\n")
	block, _, ended := strings.Cut(rest, "\n---\n")
	if !found || !ended {
		t.Fatal("the manifest has no Caddyfile")
	}
	var text strings.Builder
	for line := range strings.Lines(block + "\n") {
		text.WriteString(strings.TrimPrefix(line, "    "))
	}
	if formatted := string(caddyfile.Format([]byte(text.String()))); formatted != text.String() {
		t.Errorf("it is not formatted; it should be\n%s", formatted)
	}
	got, err := adapt(t, text.String())
	if err != nil {
		t.Fatal(err)
	}
	shipped, err := os.ReadFile("../Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	want, err := adapt(t, string(shipped))
	if err != nil {
		t.Fatal(err)
	}
	// The shipped one is for one host, which is a level of its own; its metrics are at
	// Caddy's admin API alone.
	chain := func(config string) []string {
		return slices.DeleteFunc(handlers(t, config), func(name string) bool { return name == "subroute" || name == "metrics" })
	}
	// Games have a host of their own, before that which takes all others.
	if games := append([]string{"svc_play"}, chain(want)...); !slices.Equal(chain(got), games) {
		t.Errorf("it has the handlers %q, and the shipped one, with games, %q", chain(got), games)
	}
	for _, needed := range []string{`"address":"svc-sidecar.svc.svc.cluster.local:7442"`, `"address":"svc-engine-proxy.svc.svc.cluster.local:7443"`} {
		if !strings.Contains(got, needed) {
			t.Errorf("it lacks %s:\n%s", needed, got)
		}
	}
}
