package commands

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/gamezip"
)

func TestMissingKeyIsSaid(t *testing.T) {
	newFakeService(t)
	t.Setenv("SVC_API_KEY", "")
	code, _, stderr := svc("status", fakeJob)
	if code != exitAuthentication || !strings.Contains(stderr, "SVC_API_KEY") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

func TestKeyIsReadFromAFile(t *testing.T) {
	newFakeService(t)
	t.Setenv("SVC_API_KEY", "sk-other")
	path := filepath.Join(t.TempDir(), "key")
	write(t, path, fakeKey+"\n")
	if code, _, stderr := svc("status", fakeJob, "--api-key-file", path); code != exitOK {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

func TestEventsArePlainLinesWithoutATerminal(t *testing.T) {
	s := newFakeService(t)
	s.events = []api.Event{
		{Type: api.EventProgress, Members: map[string]any{"stage": "writing", "percent": 20, "message": "Writing"}},
		{Type: api.EventProgress, Members: map[string]any{"stage": "writing", "percent": 30, "message": "Still writing"}},
		{Type: api.EventAssistantMessage, Members: map[string]any{"text": "Two\nlines \x1b[31mred"}},
		{Type: api.EventToolCall, Members: map[string]any{"name": "write_file", "args": map[string]any{"path": "src/main.js"}}},
		{Type: api.EventBuildResult, Members: map[string]any{"ok": false, "problems": []any{
			map[string]any{"file": "src/main.js", "line": 10, "text": "unexpected token"},
		}}},
		{Type: api.EventToolResult, Members: map[string]any{"name": "write_file", "ok": true, "summary": "written"}},
		{Type: api.EventToolResult, Members: map[string]any{"name": "read_file", "ok": false, "summary": "no such file"}},
		{Type: api.EventBuildResult, Members: map[string]any{"ok": true, "bytes": 69146}},
		{Type: api.EventAuditResult, Members: map[string]any{"ok": false, "findings": []any{
			map[string]any{"rule": "A01", "severity": "block", "file": "index.html", "message": "loads from elsewhere"},
		}}},
		{Type: api.EventPlaytestResult, Members: map[string]any{"ok": false, "problems": []any{"nobody can win"}}},
		{Type: api.EventFixApplied, Members: map[string]any{"strategy": "spec", "change": "slower enemies", "because": "G03"}},
		{Type: api.EventWarning, Members: map[string]any{"code": "unserved_setting", "message": "No music."}},
		{Type: "job.praised", Members: map[string]any{"of": "a later version"}},
		{Type: api.EventPlaytestResult, Members: map[string]any{"ok": true, "bestScore": 66}},
	}
	code, stdout, stderr := svc("watch", fakeJob, "-p", fakeProject)
	if code != exitOK || stdout != fakeJob+" completed\n" {
		t.Errorf("exit %d: %q", code, stdout)
	}
	want := strings.Join([]string{
		" 20 %  writing: Writing",
		"Two", "lines  [31mred",
		"  · write_file: src/main.js",
		"  ✗ build", "      src/main.js:10: unexpected token",
		"  ✗ read_file: no such file",
		"  ✓ build: 69146 bytes",
		"  ✗ audit", "      index.html: loads from elsewhere", "  ✗ playtest", "      nobody can win",
		"  ↻ fixed: slower enemies", "  ! No music.", "  ✓ playtest: best score 66", "",
	}, "\n")
	if stderr != want {
		t.Errorf("stderr\n%s\nwant\n%s", stderr, want)
	}
}

func TestInterruptDetachesAndSaysHowToComeBack(t *testing.T) {
	s := newFakeService(t)
	s.hold = make(chan struct{})
	s.status = api.JobRunning
	asked := make(chan struct{})
	s.refuse = func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/events") {
			close(asked)
		}
		return false
	}
	go func() {
		<-asked
		_ = syscall.Kill(os.Getpid(), syscall.SIGINT)
	}()
	code, stdout, stderr := svc("watch", fakeJob, "-p", fakeProject)
	if code != exitInterrupted || stdout != "" {
		t.Errorf("exit %d, stdout %q", code, stdout)
	}
	for _, want := range []string{"svc watch " + fakeJob + " -p " + fakeProject, "svc cancel " + fakeJob + " -p " + fakeProject} {
		if !strings.Contains(stderr, want) {
			t.Errorf("stderr %q does not say %q", stderr, want)
		}
	}
}

// eventTypes returns the types of events that are a line of JSON each.
func eventTypes(t *testing.T, lines []string) (types []string) {
	t.Helper()
	for _, line := range lines {
		var event api.Event
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		types = append(types, event.Type)
	}
	return types
}

func TestWatchJSONIsAnEventALineAndTheRecord(t *testing.T) {
	s := newFakeService(t)
	s.status, s.failure = api.JobFailed, &api.Failure{Code: api.FailureTimeout, Message: "It took too long."}
	code, stdout, _ := svc("watch", fakeJob, "--json")
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	if types := eventTypes(t, lines[:len(lines)-1]); code != exitJobFailed || !slices.Equal(types, []string{api.EventQueued, api.EventFailed}) {
		t.Errorf("exit %d, events %q", code, types)
	}
	var record api.Job
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &record); err != nil || record.Status != api.JobFailed {
		t.Errorf("%v: %s", err, stdout)
	}
	if code := Execute([]string{"watch", fakeJob, "--json"}, strings.NewReader(""), fullDisk{}, io.Discard); code != exitError {
		t.Errorf("exit %d, though nothing can be written", code)
	}
}

func TestCancelAndStatusPrintTheRecord(t *testing.T) {
	s := newFakeService(t)
	s.status = api.JobRunning
	if code, stdout, _ := svc("status", fakeJob); code != exitOK || !strings.HasPrefix(stdout, fakeJob+" running 0 %") {
		t.Errorf("status: exit %d: %q", code, stdout)
	}
	if code, stdout, _ := svc("cancel", fakeJob); code != exitOK || stdout != fakeJob+" cancelled\n" {
		t.Errorf("cancel: exit %d: %q", code, stdout)
	}
	code, stdout, _ := svc("status", fakeJob, "--json")
	var record api.Job
	if err := json.Unmarshal([]byte(stdout), &record); err != nil || code != exitOK || record.Status != api.JobCancelled {
		t.Errorf("status --json: exit %d: %s", code, stdout)
	}
}

func TestDownloadUnpacksAFailedJobToo(t *testing.T) {
	s := newFakeService(t)
	s.status = api.JobFailed
	dir := filepath.Join(t.TempDir(), "game")
	code, stdout, stderr := svc("download", fakeJob, "-o", dir)
	if code != exitOK || stdout != filepath.Join(dir, "index.html")+"\n" {
		t.Errorf("exit %d: %q %s", code, stdout, stderr)
	}
}

func TestDownloadOfAJobThatLeftNoGameWritesWhy(t *testing.T) {
	s := newFakeService(t)
	s.status, s.game = api.JobFailed, map[string]string{gamezip.Readme: "This job failed."}
	dir := filepath.Join(t.TempDir(), "game")
	code, stdout, stderr := svc("download", fakeJob, "-o", dir)
	if code != exitOK || stdout != dir+"\n" {
		t.Errorf("exit %d: %q %s", code, stdout, stderr)
	}
	if text, err := os.ReadFile(filepath.Join(dir, gamezip.Readme)); err != nil || string(text) != "This job failed." {
		t.Errorf("%q, %v", text, err)
	}
}

func TestNamesOfOthersDoNotDriveTheTerminal(t *testing.T) {
	newFakeService(t)
	code, stdout, _ := svc("projects", "list")
	if code != exitOK || strings.Contains(stdout, "\x1b") || !strings.HasPrefix(stdout, fakeProject) {
		t.Errorf("exit %d: %q", code, stdout)
	}
	if code, stdout, _ := svc("projects", "create", "New"); code != exitOK || stdout != fakeProject+"\n" {
		t.Errorf("exit %d: %q", code, stdout)
	}
}

func TestWhatARefusalSaysDoesNotDriveTheTerminal(t *testing.T) {
	s := newFakeService(t)
	s.refuse = func(w http.ResponseWriter, _ *http.Request) bool {
		(&answers.Error{Status: 400, Message: "Bad.\x1b]0;owned\x07\u009b2J"}).WriteTo(w) // an engine's words come this way
		return true
	}
	code, _, stderr := svc("generate", "a game", "-p", fakeProject)
	if code != exitError || !strings.Contains(stderr, "Bad.") || strings.ContainsAny(stderr, "\x1b\x07\u009b") {
		t.Errorf("exit %d: %q", code, stderr)
	}
}
