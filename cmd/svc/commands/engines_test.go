package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/driver/process"
	"github.com/svc-games/svc/engine-proxy/fleet"
	"github.com/svc-games/svc/engine-proxy/state"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/test/child"
	"github.com/svc-games/svc/test/wait"
)

// noJobs is a ledger without jobs, and without deleted projects.
type noJobs struct{ engineproxy.Ledger }

func (noJobs) Claim(_ context.Context, who contract.Installation) (contract.Installation, error) {
	return who, nil
}

func (noJobs) DeletedProjects(context.Context, string) ([]string, error) { return nil, nil }

func (noJobs) Expire(context.Context, time.Time) (int, error) { return 0, nil }

func (noJobs) OpenJobs(context.Context, string) ([]contract.OpenJob, error) { return nil, nil }

// runEngines runs svc engines against a data directory.
func runEngines(dir string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = Execute(append([]string{"engines", "--data-dir", dir}, args...), strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// failedEngine starts an engine proxy that has one engine, which failed.
func failedEngine(t *testing.T) (dir, project string) {
	t.Helper()
	dir, project, _ = startFailedEngine(t)
	return dir, project
}

// startFailedEngine is failedEngine with how the engine proxy is stopped.
func startFailedEngine(t *testing.T) (dir, project string, stop func()) {
	t.Helper()
	dir, project = t.TempDir(), mint.NewProjectID()
	driver, err := process.New(process.Options{StateRoot: filepath.Join(dir, state.StatesDir), Command: []string{"/nonexistent/svc-engine"}})
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := fleet.New(fleet.Options{DataDir: dir, Driver: driver, Ledger: noJobs{}})
	if err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(func() { _ = proxy.Close(context.Background(), fleet.StopAll) })
	t.Cleanup(stop)
	if err := proxy.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var failed *engineproxy.FailedError
	if _, err := proxy.Submit(t.Context(), engineproxy.Project{ID: project, OwnerID: "usr_1"}, time.Minute); !errors.As(err, &failed) {
		t.Fatalf("got %v, want a failed start", err)
	}
	wait.Until(t, "the engine is said to have failed", func() bool {
		list, err := proxy.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return len(list) == 1 && list[0].State == engineproxy.StateFailed
	})
	return dir, project, stop
}

func TestEnginesListNamesStateAndFailure(t *testing.T) {
	dir, project := failedEngine(t)
	code, out, errs := runEngines(dir, "list")
	if code != exitOK || !strings.Contains(out, project) || !strings.Contains(out, "usr_1") || !strings.Contains(out, "can't be run") {
		t.Fatalf("code %d\n%s%s", code, out, errs)
	}
	code, out, _ = runEngines(dir, "list", "--json")
	var list []engineproxy.Info
	if err := json.Unmarshal([]byte(out), &list); code != exitOK || err != nil || len(list) != 1 || list[0].ProjectID != project {
		t.Fatalf("code %d, %v\n%s", code, err, out)
	}
}

func TestEnginesStopForceClearsAFailure(t *testing.T) {
	dir, project := failedEngine(t)
	if code, _, errs := runEngines(dir, "stop", "--force", project); code != exitOK {
		t.Fatalf("code %d: %s", code, errs)
	}
	if code, out, errs := runEngines(dir, "list", "--json"); code != exitOK || strings.TrimSpace(out) != "[]" {
		t.Fatalf("code %d: %s%s", code, out, errs)
	}
}

func TestEnginesStopSaysWhereThereIsNoEngine(t *testing.T) {
	dir, project := failedEngine(t)
	if code, _, errs := runEngines(dir, "stop", mint.NewProjectID()); code != exitError || !strings.Contains(errs, "this project has no engine") {
		t.Errorf("an unknown project: code %d: %s", code, errs)
	}
	for _, args := range [][]string{{"stop", project}, {"stop", "--force", project}, {"stop", project}} { // the second forgets the failure
		if code, _, errs := runEngines(dir, args...); code != exitOK || !strings.Contains(errs, "no engine of this project runs") {
			t.Errorf("%v: code %d: %s", args, code, errs)
		}
	}
}

func TestEnginesShowSaysHowAnEngineFailed(t *testing.T) {
	dir, project := failedEngine(t)
	code, out, errs := runEngines(dir, "show", project)
	if code != exitOK || !strings.Contains(out, "can't be run") || !strings.Contains(out, "svc engines reset "+project) {
		t.Fatalf("code %d\n%s%s", code, out, errs)
	}
	for _, want := range []string{"absent", "starting", "stopping", "failed", "submission", "start_failed"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing:\n%s", want, out)
		}
	}
	code, out, _ = runEngines(dir, "show", project, "--json")
	var d engineproxy.Details
	if err := json.Unmarshal([]byte(out), &d); code != exitOK || err != nil || !d.Fatal || len(d.Transitions) < 3 {
		t.Fatalf("code %d, %v\n%s", code, err, out)
	}
}

func TestEnginesResetClearsAFailure(t *testing.T) {
	dir, project := failedEngine(t)
	if code, out, errs := runEngines(dir, "reset", project, "--json"); code != exitOK || !strings.Contains(out, project) {
		t.Fatalf("code %d: %s%s", code, out, errs)
	}
	if code, out, errs := runEngines(dir, "list", "--json"); code != exitOK || strings.TrimSpace(out) != "[]" {
		t.Fatalf("code %d: %s%s", code, out, errs)
	}
}

func TestEnginesListWatchShowsEveryChangeUntilTheServiceEnds(t *testing.T) {
	dir, project, stop := startFailedEngine(t)
	var out child.Log
	done := make(chan int, 1)
	go func() {
		done <- Execute([]string{"engines", "--data-dir", dir, "list", "--watch", "--json"}, strings.NewReader(""), &out, io.Discard)
	}()
	lines := func(n int) {
		t.Helper()
		wait.Until(t, fmt.Sprintf("%d lines are written", n), func() bool { return strings.Count(out.String(), "\n") >= n })
	}
	lines(1)
	if code, _, errs := runEngines(dir, "reset", project); code != exitOK {
		t.Fatal(errs)
	}
	lines(2)
	if all := strings.Split(strings.TrimSpace(out.String()), "\n"); !strings.Contains(all[0], `"failed"`) || all[len(all)-1] != "[]" {
		t.Fatalf("showed %q", all)
	}
	stop()
	if code := wait.For(t, "the command ends with the service", done); code != exitError {
		t.Fatalf("ended with code %d", code)
	}
}

func TestEngineLogIsShownWithoutItsControlCharacters(t *testing.T) {
	var out bytes.Buffer
	if printLog(&out, engineLog{"a\x1b[2Jb\tc\n\x07é"}); out.String() != "a?[2Jb\tc\n?é\n" {
		t.Fatalf("%q", out.String())
	}
}

func TestTablesOfEnginesAreWhatWeMakeThemWhateverIsInTheirCells(t *testing.T) {
	const hostile = "x\x1b[2J\ty\nz\u202e"
	info := engineproxy.Info{
		ProjectID: hostile, OwnerID: hostile, State: hostile, Phase: hostile, InstanceID: hostile, Generation: 1, AliveBecause: hostile,
	}
	details := engineproxy.Details{Info: info, Transitions: []engineproxy.Transition{{From: hostile, To: hostile, Cause: hostile, Detail: hostile}}}
	var list, one bytes.Buffer
	printEngines(&list, []engineproxy.Info{info})
	printEngine(&one, details)
	for text, lines := range map[string]int{list.String(): 2, one.String(): 10} {
		if strings.ContainsAny(text, "\x1b\t\u202e") || strings.Count(text, "\n") != lines {
			t.Errorf("want %d lines without control characters: %q", lines, text)
		}
	}
}

func TestEnginesSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"no engine proxy", []string{"list"}, exitError, "is the service running?"},
		{"malformed project", []string{"stop", "../x"}, exitUsage, "is not a project id"},
		{"no project", []string{"stop"}, exitUsage, "accepts 1 arg"},
		{"malformed project to show", []string{"show", "x"}, exitUsage, "is not a project id"},
		{"malformed project to reset", []string{"reset", "x"}, exitUsage, "is not a project id"},
		{"too much of a log", []string{"logs", "0123456789abcdef01234567", "--bytes", "1000000"}, exitUsage, "--bytes must be"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, _, errs := runEngines(dir, c.args...)
			if code != c.code || !strings.Contains(errs, c.says) {
				t.Fatalf("code %d: %s; want code %d and %q", code, errs, c.code, c.says)
			}
		})
	}
}

func TestATokenThatOthersCanReadIsNotTakenForAServiceThatDoesNotRun(t *testing.T) {
	dir := t.TempDir()
	token := peer.TokenFile(filepath.Join(dir, state.SocketName))
	if err := os.Mkdir(filepath.Dir(token), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, token, "x")
	if err := os.Chmod(token, 0o644); err != nil { // whatever the umask
		t.Fatal(err)
	}
	code, _, errs := runEngines(dir, "list")
	if code != exitError || !strings.Contains(errs, "can't be trusted") || strings.Contains(errs, "is the service running?") {
		t.Fatalf("code %d: %s", code, errs)
	}
}
