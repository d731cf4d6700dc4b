package embedded

import (
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/svc-games/svc/caddymodule"
	"github.com/svc-games/svc/sidecar/service"
)

func TestCapsThatCantBeMeantAreRefusedWhenTheConfigurationIsLoaded(t *testing.T) {
	for want, caps := range map[string]service.Caps{
		"": {MaxProjects: 1, MaxQueued: 20}, "max_queued must be from 1 to 20": {MaxQueued: 21}, "max_projects must be at least 1": {MaxProjects: -1},
	} {
		s := Sidecar{Caps: caps}
		err := s.Provision(caddy.Context{})
		if err == nil {
			err = s.Validate()
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%+v: %v, want %q", caps, err, want)
		}
	}
}

func TestReloadThatChangesCapsIsRefused(t *testing.T) {
	before, after := Sidecar{}, Sidecar{Caps: service.Caps{MaxQueued: 5}}
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
