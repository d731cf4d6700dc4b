package embedded

import (
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/svc-games/svc/engine-proxy/host"
)

func TestOptionsOfTheDriverProcessThatHaveNoMeaningAreRefused(t *testing.T) {
	for want, e := range map[string]Engines{
		"users":      {Process: &host.Process{Users: "many"}},
		"cgroup":     {Process: &host.Process{Memory: 1 << 29}},
		"need":       {Process: &host.Process{CPUs: 1}},
		"the driver": {Driver: "docker", Process: &host.Process{PIDs: 1}},
	} {
		if err := e.Provision(caddy.Context{}); err != nil {
			t.Fatal(err)
		}
		if err := e.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want a word of %s", e.Process, err, want)
		}
	}
	good := Engines{Process: &host.Process{Users: "200000-200009", Cgroup: "/sys/fs/cgroup/x", Memory: 1 << 29, CPUs: 0.5}}
	if err := good.Provision(caddy.Context{}); err != nil {
		t.Fatal(err)
	}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
}
