package commands

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/zap"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	engines "github.com/svc-games/svc/engine-proxy/remote"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/test/keep"
)

// noEngines is an engine proxy without engines.
type noEngines struct{ engineproxy.Engines }

func (noEngines) List(context.Context) ([]engineproxy.Info, error) { return nil, nil }

func TestDoctorAsksTheEngineProxyInAnotherProcessAndNotForWhatItsEnginesNeed(t *testing.T) {
	dir := keep.Dir(t)
	server, err := peer.Start(peer.ServerOptions{
		Address: peer.Address{Network: "unix", Name: filepath.Join(dir, "e.sock")},
		Handler: engines.NewHandler(engines.HandlerOptions{Engines: noEngines{}, Direct: true, Logger: zap.NewNop()}),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	for where, want := range map[string]string{
		server.Addr().Name:              "ok    engine proxy: ",
		filepath.Join(dir, "none.sock"): "; start svc-engine-proxy",
		"nowhere":                       "; set SVC_ENGINES",
	} {
		t.Setenv("SVC_ENGINES", where)
		_, stdout, _ := svc("doctor", "--data-dir", dir)
		if !strings.Contains(stdout, want) || strings.Contains(stdout, "engine program") || strings.Contains(stdout, "game framework") {
			t.Errorf("%s: want %q in\n%s", where, want, stdout)
		}
	}
}

func TestDoctorNamesADriverThatThereIsNot(t *testing.T) {
	t.Setenv("SVC_ENGINE_DRIVER", "podman")
	code, stdout, _ := svc("doctor", "--data-dir", t.TempDir())
	if code != exitError || !strings.Contains(stdout, `FAIL  driver: no driver is called "podman"; set SVC_ENGINE_DRIVER to process, docker or kubernetes`) {
		t.Errorf("exit %d: %s", code, stdout)
	}
}
