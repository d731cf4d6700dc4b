package embedded

import (
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
)

func TestStoreThatCantBeMeantIsRefusedWhenTheConfigurationIsLoaded(t *testing.T) {
	t.Setenv("DATABASE_URL", "postgres://svc:pa55@db.example:5432/svc")
	for given, want := range map[string]string{
		"": "", "sqlite": "", "postgres://svc@db.example/svc": "", "{env.DATABASE_URL}": "",
		"mysql":                   "is not known",
		"mysql://svc:pa55@db/svc": "is not known",
		// An empty variable must not turn into the default: another store.
		"{env.DATABASE_URI}": "{env.DATABASE_URI} is empty",
	} {
		s := Sidecar{Store: given}
		err := s.Provision(caddy.Context{})
		if err == nil {
			err = s.Validate()
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", given, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "pa55") {
			t.Errorf("%q: the error shows the password: %v", given, err)
		}
	}
}
