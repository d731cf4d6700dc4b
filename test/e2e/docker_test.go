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
	"github.com/svc-games/svc/engine-proxy/driver/docker/dockertest"
	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/test/wait"
)

// docked is a service whose engines are containers of a daemon of its own.
type docked struct {
	fleet
	daemon *dockertest.Daemon
}

// TestEnginesInContainers runs its services one after the other on one daemon
// with one image, which is built as users do it.
func TestEnginesInContainers(t *testing.T) {
	f := inOneForm(t)
	daemon := dockertest.Start(t)
	build := exec.Command("scripts/engine-image", "slim")
	build.Dir = root(t)
	build.Env = append(os.Environ(), "DOCKER_HOST="+daemon.Host)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the image: %v\n%s", err, out)
	}
	for _, test := range []struct {
		name string
		form form
		run  func(s docked)
	}{
		{"BriefBecomesAPlayableGame", f, docked.briefBecomesAPlayableGame},
		{"GatewayNeedsNoDockerWhenTheEngineProxyIsOnItsOwn", formSplit, docked.gatewayNeedsNoDocker},
		{"TheyOutliveAKilledGatewayAndAreAdopted", f, docked.outliveAKilledGateway},
		{"MissingImageKeepsTheServiceFromStartingAndSaysWhatToRun", formEmbedded, docked.missingImage},
		{"SubmissionWithoutADaemonIsRefusedAndTakenLater", f, docked.submissionWithoutADaemon},
		{"RestartOfTheDaemonFailsOnlyTheRunningJob", f, docked.restartOfTheDaemon},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(newDocked(t, test.form, daemon)) })
	}
}

// newDocked prepares one, on a daemon with an image and no containers.
func newDocked(t *testing.T, f form, daemon *dockertest.Daemon) docked {
	t.Helper()
	t.Cleanup(func() { clearContainers(t, daemon) }) // once the service has ended, which they outlive
	s := docked{daemon: daemon}
	s.service = newService(t, f, "SVC_ENGINE_DRIVER=docker", "DOCKER_HOST="+daemon.Host)
	s.running = s.containers
	return s
}

// clearContainers removes the containers of a daemon.
func clearContainers(t *testing.T, daemon *dockertest.Daemon) {
	ctx := context.Background()
	api, err := client.New(client.WithHost(daemon.Host))
	if err != nil {
		t.Error(err)
		return
	}
	defer api.Close()
	list, err := api.ContainerList(ctx, client.ContainerListOptions{All: true})
	if err != nil {
		t.Error(err)
	}
	for _, c := range list.Items {
		if _, err := api.ContainerRemove(ctx, c.ID, client.ContainerRemoveOptions{Force: true}); err != nil {
			t.Error(err)
		}
	}
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

func (s docked) briefBecomesAPlayableGame() {
	t := s.t
	s.start()
	dir := s.makeGame()

	ctx, cancel := wait.Within(t.Context(), slow)
	defer cancel()
	browser, err := playtest.Start(ctx, "")
	if err != nil {
		t.Fatalf("%v: make deps installs what the tests need", err)
	}
	defer browser.Close()
	page, err := browser.Open(ctx, "file://"+filepath.Join(dir, "index.html"), 480, 720)
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
	if !s.form.split() && !strings.Contains(s.log.String(), "this process holds the Docker socket") {
		t.Error("the log does not warn that the gateway holds the Docker socket")
	}
	s.endsClean()
}

func (s docked) outliveAKilledGateway() {
	s.start()
	s.outlives(func() { _ = s.stop(os.Kill) }, func() { s.start() })
}

// restartOfTheDaemon: dockerd stops all containers
// when it ends. While it is away nothing is concluded.
func (s docked) restartOfTheDaemon() {
	t := s.t
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
	if u := s.usage(key); u.RunningJobs != 0 || u.JobsThisMonth != int64(len(jobs)) {
		t.Errorf("usage is %+v", u)
	}
}

func (s docked) missingImage() {
	s.env = append(s.env, "SVC_ENGINE_IMAGE=svc-engine:none")
	out, err := s.command("run", "--config", "Caddyfile").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "svc-engine:none") || !strings.Contains(string(out), "make engine-image") {
		s.t.Errorf("ended with %v:\n%s", err, out)
	}
}

// submissionWithoutADaemon: nothing is lost or
// charged while Docker is away, and no one has to reset anything afterwards.
func (s docked) submissionWithoutADaemon() {
	t := s.t
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
	if u := s.usage(key); u.JobsThisMonth != 0 || u.RunningJobs != 0 {
		t.Errorf("a refused submission counts: %+v", u)
	}
	if err := s.daemon.Run(); err != nil {
		t.Fatal(err)
	}
	if job := s.finish(key, s.generate(key, project, brief)); job.Status != api.JobCompleted {
		t.Errorf("the job ended as %s %+v", job.Status, job.Failure)
	}
}
