package embedded

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/caddymodule"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/driver/process"
	"github.com/svc-games/svc/engine-proxy/fleet"
	"github.com/svc-games/svc/engine-proxy/host"
)

// noLedger gives the engines to whoever asks, and is asked for nothing else.
type noLedger struct{ engineproxy.Ledger }

func (noLedger) Claim(_ context.Context, who contract.Installation) (contract.Installation, error) {
	return who, nil
}

// opened is what a configuration with the standard options opened.
func opened(t *testing.T) (*Engines, *caddymodule.OpenedEngines) {
	t.Helper()
	e := new(Engines)
	if err := e.Provision(caddy.Context{}); err != nil {
		t.Fatal(err)
	}
	driver, err := process.New(process.Options{StateRoot: t.TempDir(), Command: []string{"/bin/true"}, Shim: "/bin/true"})
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := fleet.New(fleet.Options{DataDir: t.TempDir(), Driver: driver, Ledger: noLedger{}})
	if err != nil {
		t.Fatal(err)
	}
	return e, &caddymodule.OpenedEngines{Engines: &liveEngines{proxy: proxy, fixed: e.fixed()}}
}

func TestReloadChangesWhatEnginesCanLiveWithAndRefusesTheRest(t *testing.T) {
	e, before := opened(t)
	for name, c := range map[string]struct {
		change func(*Engines)
		says   string
	}{
		"nothing": {func(*Engines) {}, ""},
		"caps and times": {func(e *Engines) {
			e.Idle, e.Retain, e.MaxEngines, e.MaxPerOwner, e.MaxArchive = caddy.Duration(time.Hour), 1, 2, 3, 4
		}, ""},
		"stop on exit": {func(e *Engines) { e.StopOnExit = host.StopAll }, ""},
		"the program":  {func(e *Engines) { e.Command = "/opt/svc-engine" }, "restart the service"},
		"the driver":   {func(e *Engines) { e.Driver = "docker" }, "restart the service"},
	} {
		t.Run(name, func(t *testing.T) {
			changed := *e
			c.change(&changed)
			err := changed.ReloadEngines(before)
			switch {
			case c.says == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
				t.Errorf("got %v, want %q", err, c.says)
			}
		})
	}
}
