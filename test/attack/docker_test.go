package attack

import (
	"testing"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/docker"
	"github.com/svc-games/svc/engine-proxy/driver/docker/dockertest"
	"github.com/svc-games/svc/engine-proxy/driver/drivertest"
	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/programs"
)

// TestTakenOverContainerGetsNowhere makes each attempt from a container.
// TestTakenOverEngineGetsNowhere is the short form; what a container lacks,
// package docker's hardening tests prove in every run.
func TestTakenOverContainerGetsNowhere(t *testing.T) {
	long.Only(t)
	const image, memory, pids = "svc-engine-attack:1", 64 << 20, 64
	daemon := dockertest.Shared(t)
	daemon.Import(t, image, map[string]string{"/engine": programs.Build(t, "test/attack/cmd/hostile")}, `ENTRYPOINT ["/engine"]`)
	root := drivertest.TempDir(t)
	d, err := docker.New(docker.Options{DataDir: root, Host: daemon.Host, Image: image, Limits: driver.Limits{Memory: memory, PIDs: pids}})
	must(t, err)
	t.Cleanup(func() { d.Close() })
	attack(t, kit{root: root}, d, through[container], "use another convention")
}
