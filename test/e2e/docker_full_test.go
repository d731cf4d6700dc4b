package e2e

import (
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine-proxy/driver/docker/dockertest"
	"github.com/svc-games/svc/test/long"
)

// The image is the one of the machine's own daemon: it is too large to be made
// by a test.
func TestGameOfTheFullImageIsPlayedInItsBrowserInAContainer(t *testing.T) {
	f := inOneForm(t)
	long.Only(t) // TestEnginesInContainers plays a game of the slim image, TestModelsMakeAGame has an engine with a browser
	dockertest.Need(t)
	s := newService(t, f)
	s.runEngines("docker", map[string]any{
		"image": "svc-engine:full", "chromium": "/usr/lib/chromium/chromium", "memory": 1 << 30, "cpus": 2,
	}, "")
	s.start()
	key := s.newKey("demo")
	sub := s.generate(key, s.newProject(key), brief)
	if job := s.finishLong(key, sub); job.Status != api.JobCompleted {
		t.Fatalf("the job ended as %s %+v", job.Status, job.Failure)
	}
	log := s.jobLog(key, sub)
	played := ofType(log, api.EventPlaytestResult)
	if len(played) == 0 || played[len(played)-1]["tier"] != "browser" || played[len(played)-1]["ok"] != true {
		t.Errorf("the game was played as %v", played)
	}
	for _, warning := range ofType(log, api.EventWarning) {
		t.Errorf("the job has a warning: %v", warning)
	}
}
