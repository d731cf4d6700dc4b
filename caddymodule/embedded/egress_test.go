package embedded

import (
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
)

func TestEgressKeyStandsInNoConfiguration(t *testing.T) {
	engines := func(key string) *Engines {
		return &Engines{Egress: &Egress{Endpoints: []EgressEndpoint{{URL: "https://models.example/v1", Key: key, Chat: []string{"writer"}}}}}
	}
	check := func(e *Engines) error {
		if err := e.Provision(caddy.Context{}); err != nil {
			return err
		}
		return e.Validate()
	}
	t.Setenv("EGRESS_TEST_KEY", "s3cret")
	e := engines("{env.EGRESS_TEST_KEY}")
	if err := check(e); err != nil {
		t.Fatal(err)
	}
	config, err := e.egressConfig()
	if err != nil || config.Endpoints[0].Key != "s3cret" || e.Egress.Endpoints[0].Key != "{env.EGRESS_TEST_KEY}" {
		t.Errorf("got %+v, %v", config, err)
	}
	if err := check(engines("sk-s3cret")); err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("a key in the configuration: %v", err)
	}
	for _, missing := range []string{"{env.EGRESS_TEST_NO_KEY}", "{no.such.placeholder}"} {
		e := engines(missing)
		if err := check(e); err != nil {
			t.Fatal(err)
		}
		if _, err := e.egressConfig(); err == nil || !strings.Contains(err.Error(), missing) {
			t.Errorf("%s: %v", missing, err)
		}
	}
}

func TestEgressIsGivenOnce(t *testing.T) {
	e := &Engines{
		EgressFile: "egress.json",
		Egress:     &Egress{Endpoints: []EgressEndpoint{{URL: "https://models.example/v1", Chat: []string{"writer"}}}},
	}
	if err := e.Provision(caddy.Context{}); err != nil {
		t.Fatal(err)
	}
	if err := e.Validate(); err == nil || !strings.Contains(err.Error(), "given twice") {
		t.Errorf("got %v", err)
	}
}
