package embedded

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/svc-games/svc/caddymodule"
	"github.com/svc-games/svc/sidecar/activation"
)

func TestPolicyOptionsThatContradictAreRefusedWhenTheConfigurationIsLoaded(t *testing.T) {
	share := 2.0
	for name, tc := range map[string]struct {
		sidecar Sidecar
		want    string // "" for accepted
	}{
		"defaults":                 {Sidecar{}, ""},
		"a bundle without a key":   {Sidecar{Policy: &Policy{Source: "/etc/svc/policy.tar.gz"}}, "needs the key"},
		"an address without a key": {Sidecar{Policy: &Policy{Source: "https://example.com/policy"}}, "needs the key"},
		"an unsigned bundle":       {Sidecar{Policy: &Policy{Source: "/etc/svc/policy.tar.gz", Unsigned: true}}, ""},
		"a key and unsigned":       {Sidecar{Policy: &Policy{Key: "key.pem", Unsigned: true}}, "contradict"},
		"an unknown mode":          {Sidecar{DecisionLog: &DecisionLog{Mode: "sometimes"}}, "best_effort or required"},
		"a sample of two":          {Sidecar{DecisionLog: &DecisionLog{Sample: &share}}, "from 0 to 1"},
		"no decision log":          {Sidecar{DecisionLog: &DecisionLog{Mode: "off"}}, ""},
	} {
		s := tc.sidecar
		if err := s.Provision(caddy.Context{}); err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(); tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

func TestEnvironmentSaysWhereThePolicyIsUnlessTheConfigurationDoes(t *testing.T) {
	t.Setenv("SVC_POLICY", "/etc/svc/policy")
	t.Setenv("SVC_POLICY_KEY", "/etc/svc/key.pem")
	t.Setenv("SVC_DECISION_LOG", "required")
	var s Sidecar
	if err := s.Provision(caddy.Context{}); err != nil {
		t.Fatal(err)
	}
	if s.Policy.Source != "/etc/svc/policy" || s.Policy.Key != "/etc/svc/key.pem" || s.DecisionLog.Mode != "required" {
		t.Errorf("policy %+v, log %+v", s.Policy, s.DecisionLog)
	}
	s = Sidecar{Policy: &Policy{Source: activation.Embedded, Key: "other.pem"}, DecisionLog: &DecisionLog{Mode: "off"}}
	if err := s.Provision(caddy.Context{}); err != nil {
		t.Fatal(err)
	}
	if s.Policy.Source != activation.Embedded || s.Policy.Key != "other.pem" || s.DecisionLog.Mode != "off" {
		t.Errorf("policy %+v, log %+v", s.Policy, s.DecisionLog)
	}
}

func TestReloadThatChangesThePolicysOptionsIsRefused(t *testing.T) {
	before, after := Sidecar{}, Sidecar{Policy: &Policy{Source: "/etc/svc/policy"}}
	for _, s := range []*Sidecar{&before, &after} {
		if err := s.Provision(caddy.Context{}); err != nil {
			t.Fatal(err)
		}
	}
	err := after.ReloadSidecar(&caddymodule.OpenedSidecar{Fixed: before.fixed()})
	if err == nil || !strings.Contains(err.Error(), "restart the service") {
		t.Errorf("got %v", err)
	}
}

func TestDocumentNamesEveryMetricAndStepOfThePolicy(t *testing.T) {
	raw, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	registry := prometheus.NewPedanticRegistry()
	for _, c := range policyMetrics.Collectors() {
		if err := registry.Register(c); err != nil {
			t.Fatal(err)
		}
		descriptions := make(chan *prometheus.Desc, 1)
		c.Describe(descriptions)
		_, rest, _ := strings.Cut((<-descriptions).String(), `fqName: "`)
		name, _, _ := strings.Cut(rest, `"`)
		if !strings.Contains(string(raw), "`"+name+"`") {
			t.Errorf("docs/metrics.md does not name %s", name)
		}
	}
	for _, step := range activation.Steps() {
		if !strings.Contains(string(raw), "`"+step+"`") {
			t.Errorf("docs/metrics.md does not name the step %s", step)
		}
	}
}

func TestDecisionTimeoutOfTheEnvironmentIsReadAndABadOneRefused(t *testing.T) {
	for text, want := range map[string]time.Duration{"": 0, "10s": 10 * time.Second, "soon": -1} {
		t.Setenv("SVC_DECISION_TIMEOUT", text)
		var s Sidecar
		err := s.Provision(caddy.Context{})
		if want < 0 && (err == nil || !strings.Contains(err.Error(), "SVC_DECISION_TIMEOUT")) {
			t.Errorf("%q: %v", text, err)
		}
		if want >= 0 && (err != nil || time.Duration(s.DecisionTimeout) != want) {
			t.Errorf("%q: %s, %v", text, time.Duration(s.DecisionTimeout), err)
		}
	}
}
