package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/test/wait"
)

// queue submits n jobs to a new project, so that the last one waits a while.
func (s *service) queue(key apiKey, n int) []api.Submission {
	s.t.Helper()
	project := s.newProject(key)
	jobs := make([]api.Submission, n)
	for i := range jobs {
		jobs[i] = s.generate(key, project, brief)
	}
	return jobs
}

func (s *service) allCompleted(key apiKey, jobs []api.Submission) {
	s.t.Helper()
	for _, sub := range jobs {
		if job := s.finish(key, sub); job.Status != api.JobCompleted {
			s.t.Errorf("job %s ended as %s %+v", sub.JobID, job.Status, job.Failure)
		}
	}
	if u := s.usage(key); u.JobsThisMonth != int64(len(jobs)) || u.RunningJobs != 0 || u.TIKThisMonth != api.TIK(len(jobs)*api.MicroPerTIK) {
		s.t.Errorf("usage after %d jobs is %+v", len(jobs), u)
	}
}

// reload has the gateway read its configuration again.
func (s *service) reload() {
	s.t.Helper()
	if out, err := s.fromAnotherShell(s.command("reload", "--config", s.caddyfile(), "--force")).CombinedOutput(); err != nil {
		s.t.Fatalf("reloading: %v\n%s", err, out)
	}
}

func TestReloadKeepsAnOpenEventStream(t *testing.T) {
	inEveryForm(t, reloadKeepsAnOpenEventStream)
}

func reloadKeepsAnOpenEventStream(t *testing.T, f form) {
	s := start(t, f)
	key := s.newKey("demo")
	jobs := s.queue(key, 3)
	last := jobs[len(jobs)-1]
	stream := s.events(key, last, "")

	release := s.holdEngines() // the job must not end before the reload does
	s.reload()
	if job := s.status(key, last); job.Status.Terminal() {
		t.Fatal("the job ended before the reload did: the test proves nothing")
	}
	release()
	checkLog(t, s.readEvents(stream.Body))
	s.allCompleted(key, jobs)
}

// fromAnotherShell has a command find the service's variables in a file, as
// docs/operations.md says of /etc/svc/svc.env, and nothing in its environment.
func (s *service) fromAnotherShell(cmd *exec.Cmd) *exec.Cmd {
	s.t.Helper()
	var text strings.Builder
	for _, variable := range cmd.Env {
		if name, value, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "SVC_") {
			fmt.Fprintf(&text, "%s='%s'\n", name, value)
		}
	}
	file := filepath.Join(s.t.TempDir(), "svc.env")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		s.t.Fatal(err)
	}
	shell := exec.Command("sh", append([]string{"-c", `set -a; . "$0"; set +a; exec "$@"`, file}, cmd.Args...)...)
	shell.Dir, shell.Env = cmd.Dir, []string{"HOME=" + s.dir, "PATH=" + os.Getenv("PATH")}
	return shell
}

// TestJobsOutliveACleanStopAndAreFoundAgain: TestKillMatrix is about a service
// that is killed.
func TestJobsOutliveACleanStopAndAreFoundAgain(t *testing.T) {
	inEveryForm(t, jobsOutliveACleanStopAndAreFoundAgain)
}

func jobsOutliveACleanStopAndAreFoundAgain(t *testing.T, f form) {
	s := start(t, f)
	key := s.newKey("demo")
	jobs := s.queue(key, 3)
	before := s.enginePIDs()
	if len(before) != 1 {
		t.Fatalf("engines: %v", before)
	}
	release := s.holdEngines() // an engine at rest would be stopped
	stopped := make(chan error, 1)
	go func() { stopped <- s.stop(os.Interrupt) }()
	wait.Until(t, "the engine is asked whether it is at rest", func() bool { return s.engines()[0].State == "draining" })
	release()
	if err := <-stopped; err != nil {
		t.Errorf("a clean stop ended with %v", err)
	}
	if after := s.enginePIDs(); !slices.Equal(before, after) {
		t.Fatalf("engines after the stop: %v, before %v", after, before)
	}
	s.start()
	s.allCompleted(key, jobs)
	if after := s.enginePIDs(); !slices.Equal(before, after) {
		t.Errorf("engines after the restart: %v, before %v: not adopted", after, before)
	}
	checkLog(t, s.readEvents(s.events(key, jobs[len(jobs)-1], "").Body))
}

func TestStopEnginesStopsWorkingEnginesToo(t *testing.T) {
	f := onlyEmbedded(t)
	s := newService(t, f)
	s.start("--stop-engines")
	key := s.newKey("demo")
	jobs := s.queue(key, 4)
	if err := s.stop(os.Interrupt); err != nil {
		t.Errorf("a clean stop ended with %v", err)
	}
	if pids := s.enginePIDs(); len(pids) > 0 {
		t.Errorf("engines after the stop: %v", pids)
	}
	s.start()
	// No job is lost: the one that ran failed, the queued ones go on.
	failed := 0
	for _, sub := range jobs {
		switch job := s.finish(key, sub); {
		case job.Status == api.JobFailed && job.Failure.Code == api.FailureEngineRestarted:
			failed++
		case job.Status != api.JobCompleted:
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

func TestAStartThatCanNotWorkSaysWhatToDo(t *testing.T) {
	f := inOneForm(t)
	taken, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, err := net.SplitHostPort(taken.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct{ env, says string }{
		"port in use":                        {"SVC_ADDRESS=http://localhost:" + port, "SVC_ADDRESS"},
		"unwritable data directory":          {"SVC_DATA_DIR=" + filepath.Join(file, "data"), "SVC_DATA_DIR"},
		"path too long":                      {"SVC_DATA_DIR=" + filepath.Join(t.TempDir(), strings.Repeat("x", 120)), "SVC_DATA_DIR"},
		"missing framework bundle":           {"SVC_FRAMEWORKS=" + filepath.Join(file, "frameworks"), "make build"},
		"engines elsewhere, the ledger here": {"SVC_ENGINES=" + filepath.Join(file, "engines.sock"), "SVC_SIDECAR"},
		"store of a newer version":           {"SVC_DATA_DIR=" + ofNewerVersion(t), "run the newer svc, or restore a backup"},
	}
	if f.split() { // those are about parts in this process
		delete(tests, "engines elsewhere, the ledger here")
		delete(tests, "store of a newer version")
		delete(tests, "missing framework bundle") // caddy starts no engines, and needs none
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := newService(t, f, tc.env)
			cmd := s.command("run", "--config", "Caddyfile")
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() != 1 {
				t.Fatalf("ended with %v", err)
			}
			lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
			if len(lines) != 1 || !strings.Contains(lines[0], tc.says) {
				t.Errorf("said %q; want one line with %q", lines, tc.says)
			}
		})
	}
}

// ofNewerVersion is a data directory whose store a later svc has made.
func ofNewerVersion(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	s, err := store.OpenSQLite(t.Context(), filepath.Join(dir, store.SQLiteFile))
	if err != nil {
		t.Fatal(err)
	}
	err = s.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec("INSERT INTO schema_steps (version, name, applied_at) VALUES (9999, 'later', 1)")
		return err
	})
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestASecondServiceOnTheSameDataLeavesTheFirstAlone(t *testing.T) {
	inEveryForm(t, aSecondServiceOnTheSameDataLeavesTheFirstAlone)
}

func aSecondServiceOnTheSameDataLeavesTheFirstAlone(t *testing.T, f form) {
	s := start(t, f)
	second := newService(t, f)
	cmd := second.command("run", "--config", "Caddyfile")
	cmd.Env = append(cmd.Env, "SVC_DATA_DIR="+s.dir)
	out, err := cmd.CombinedOutput()
	if err == nil || cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "another service") {
		t.Errorf("the second ended with %v: %s", err, out)
	}
	s.reload() // as before
}

func TestADataFolderMayHaveASpace(t *testing.T) {
	inEveryForm(t, aDataFolderMayHaveASpace)
}

func aDataFolderMayHaveASpace(t *testing.T, f form) {
	s := newService(t, f)
	s.dir = filepath.Join(s.dir, "a b")
	s.start()
	key := s.newKey("demo")
	s.allCompleted(key, s.queue(key, 1))
}

func TestCaddyKnowsTheModulesAndTheShippedCaddyfile(t *testing.T) {
	f := inOneForm(t)
	s := newService(t, f)
	out, err := s.command("list-modules").Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := strings.Fields(string(out))
	for _, want := range []string{
		"svc", "svc.sidecar.embedded", "svc.engines.embedded", "http.handlers.svc_auth", "http.handlers.svc_access", "http.handlers.svc_projects",
		"http.handlers.svc_engine", "http.handlers.svc_quota", "http.handlers.svc_error", "http.handlers.svc_openapi", "http.reverse_proxy.upstreams.svc_engine",
	} {
		if !slices.Contains(modules, want) {
			t.Errorf("list-modules does not name %s", want)
		}
	}
	for _, verb := range []string{"adapt", "validate"} {
		if out, err := s.command(verb, "--config", "Caddyfile").CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", verb, err, out)
		}
	}
	if _, err := os.Stat(filepath.Join(s.dir, "svc.db")); err == nil {
		t.Error("validate opened the store")
	}
}

func TestACleanStopLeavesNoIdleEngineAndStartedAgainEverythingIsThere(t *testing.T) {
	inEveryForm(t, aCleanStopLeavesNoIdleEngineAndStartedAgainEverythingIsThere)
}

func aCleanStopLeavesNoIdleEngineAndStartedAgainEverythingIsThere(t *testing.T, f form) {
	s := start(t, f)
	key := s.newKey("demo")
	jobs := s.queue(key, 1)
	s.allCompleted(key, jobs)
	if err := s.stop(os.Interrupt); err != nil {
		t.Errorf("a clean stop ended with %v", err)
	}
	if pids := s.enginePIDs(); len(pids) > 0 {
		t.Errorf("engines after the stop: %v", pids)
	}
	s.start()
	if a := s.call(key, "GET", "/v1/projects/"+jobs[0].ProjectID, nil); a.status != http.StatusOK {
		t.Errorf("the project: %d %s", a.status, a.body)
	}
	s.download(key, jobs[0])
	if pids := s.enginePIDs(); len(pids) > 0 {
		t.Errorf("reading an ended job started an engine: %v", pids)
	}
	s.allCompleted(key, jobs)
}

func TestSVCCommandFailsClearlyWithoutAService(t *testing.T) {
	inOneForm(t)
	cmd := exec.Command(bin(t, "svc"), "admin", "key", "list", "--data-dir", t.TempDir())
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "make run") {
		t.Errorf("%v: %s", err, out)
	}
}
