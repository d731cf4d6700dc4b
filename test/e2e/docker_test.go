package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/moby/moby/client"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine-proxy/docker/dockertest"
	"github.com/svc-games/svc/engine/gen/playtest"
)

// docked is a service whose engines are containers of a daemon of its own.
type docked struct {
	fleet
	daemon *dockertest.Daemon
}

// newDocked prepares one; its image is built as users do it.
func newDocked(t *testing.T, env ...string) docked {
	t.Helper()
	daemon := dockertest.Start(t)
	build := exec.Command("scripts/engine-image", "slim")
	build.Dir = root(t)
	build.Env = append(os.Environ(), "DOCKER_HOST="+daemon.Host)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the image: %v\n%s", err, out)
	}
	env = append([]string{"SVC_ENGINE_DRIVER=docker", "DOCKER_HOST=" + daemon.Host}, env...)
	s := docked{fleet: fleet{service: newService(t, env...)}, daemon: daemon}
	s.running = s.containers
	return s
}

// containers returns the ids of those that run.
func (s docked) containers() []string {
	s.t.Helper()
	list, err := s.daemon.Client(s.t).ContainerList(s.t.Context(), client.ContainerListOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	ids := []string{}
	for _, c := range list.Items {
		ids = append(ids, c.ID)
	}
	return ids
}

func TestBriefBecomesAPlayableGameInAContainer(t *testing.T) {
	s := newDocked(t)
	s.start()
	dir := s.makeGame()

	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	browser, err := playtest.Start(ctx, "")
	if err != nil {
		t.Fatalf("%v: make deps installs what the tests need", err)
	}
	defer browser.Close()
	page, err := browser.Open(ctx, "file://"+filepath.Join(dir, "index.html"), 480, 720, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer page.Close()
	if err := page.Tap(240, 360); err != nil {
		t.Fatal(err)
	}
	if state, err := page.Run("skilled", 20*60); err != nil || state.Score < 1 {
		t.Errorf("20 seconds of skilled play: %+v, %v", state, err)
	}
	if !split() && !strings.Contains(s.log.String(), "this process holds the Docker socket") {
		t.Error("the log does not warn that the gateway holds the Docker socket")
	}
	s.endsClean()
}

func TestContainersOutliveAKilledGatewayAndAreAdopted(t *testing.T) {
	s := newDocked(t)
	s.start()
	s.outlives(func() { _ = s.stop(os.Kill) }, func() { s.start() })
}

// TestRestartOfTheDaemonFailsOnlyTheRunningJob: dockerd stops all containers
// when it ends. While it is away nothing is concluded.
func TestRestartOfTheDaemonFailsOnlyTheRunningJob(t *testing.T) {
	s := newDocked(t)
	s.start()
	key := s.newKey("demo")
	jobs := s.queue(key, 6)
	stream := s.events(key, jobs[len(jobs)-1], "")
	if err := s.daemon.Stop(); err != nil {
		t.Fatal(err)
	}
	for _, sub := range jobs {
		if job := s.status(key, sub); job.Status == api.JobFailed {
			t.Errorf("job %s failed while the daemon was away: %+v", sub.JobID, job.Failure)
		}
	}
	if err := s.daemon.Run(); err != nil {
		t.Fatal(err)
	}
	checkLog(t, s.readEvents(stream.Body)) // it stays open and loses nothing
	failed := 0
	for _, sub := range jobs {
		if job := s.finish(key, sub); job.Status == api.JobFailed && job.Failure.Code == api.FailureEngineRestarted {
			failed++
		} else if job.Status != api.JobCompleted {
			t.Errorf("job %s ended as %s %+v", sub.JobID, job.Status, job.Failure)
		}
	}
	if failed > 1 {
		t.Errorf("%d jobs failed; only the running one may", failed)
	}
	if u := s.usage(key); u.RunningJobs != 0 || u.JobsToday != int64(len(jobs)) {
		t.Errorf("usage is %+v", u)
	}
}

func TestMissingImageKeepsTheServiceFromStartingAndSaysWhatToRun(t *testing.T) {
	onlyEmbedded(t)
	s := newDocked(t, "SVC_ENGINE_IMAGE=svc-engine:none")
	out, err := s.command("run", "--config", "Caddyfile").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "svc-engine:none") || !strings.Contains(string(out), "make engine-image") {
		t.Errorf("ended with %v:\n%s", err, out)
	}
}

// TestSubmissionWithoutADaemonIsRefusedAndTakenLater: nothing is lost or
// charged while Docker is away, and no one has to reset anything afterwards.
func TestSubmissionWithoutADaemonIsRefusedAndTakenLater(t *testing.T) {
	s := newDocked(t)
	s.start()
	key := s.newKey("demo")
	project := s.newProject(key)
	if err := s.daemon.Stop(); err != nil {
		t.Fatal(err)
	}
	body := map[string]string{"projectId": project, "prompt": brief}
	a := s.call(key, "POST", "/v1/generate", body)
	if a.status != 503 || a.header.Get("Retry-After") == "" {
		t.Errorf("without a daemon: %d %s", a.status, a.body)
	}
	if u := s.usage(key); u.JobsToday != 0 || u.RunningJobs != 0 {
		t.Errorf("a refused submission counts: %+v", u)
	}
	if err := s.daemon.Run(); err != nil {
		t.Fatal(err)
	}
	if job := s.finish(key, s.generate(key, project, brief)); job.Status != api.JobCompleted {
		t.Errorf("the job ended as %s %+v", job.Status, job.Failure)
	}
}
