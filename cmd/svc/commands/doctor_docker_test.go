package commands

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/engine-proxy/driver/docker/dockertest"
	"github.com/svc-games/svc/test/freeport"
)

func TestDoctorAsksDockerWhenEnginesRunThere(t *testing.T) {
	t.Setenv("SVC_ADDRESS", "http://"+freeport.Address(t))
	t.Setenv("SVC_ENGINE_DRIVER", "docker")
	t.Setenv("SVC_ENGINE_IMAGE", "svc-engine-doctor:1")
	dir := t.TempDir()
	t.Setenv("DOCKER_HOST", "unix://"+filepath.Join(dir, "none.sock"))
	code, stdout, _ := svc("doctor", "--data-dir", dir)
	if code != exitError || !strings.Contains(stdout, "FAIL  Docker") || !strings.Contains(stdout, "scripts/docker start") ||
		strings.Contains(stdout, "engine program") {
		t.Errorf("without a daemon: exit %d: %s", code, stdout)
	}
	daemon := dockertest.Start(t)
	t.Setenv("DOCKER_HOST", daemon.Host)
	code, stdout, _ = svc("doctor", "--data-dir", dir)
	if code != exitError || !strings.Contains(stdout, "svc-engine-doctor:1") || !strings.Contains(stdout, "make engine-image") {
		t.Errorf("without an image: exit %d: %s", code, stdout)
	}
	daemon.ImportSelf(t, "svc-engine-doctor:1")
	if code, stdout, _ = svc("doctor", "--data-dir", dir); code != 0 || !strings.Contains(stdout, "ok    Docker") {
		t.Errorf("with all there: exit %d: %s", code, stdout)
	}
}
