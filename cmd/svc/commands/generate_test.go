package commands

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
)

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

func TestGenerateUnpacksTheGameAndPrintsItsIndexLast(t *testing.T) {
	s := newFakeService(t)
	dir := filepath.Join(t.TempDir(), "game")
	code, stdout, stderr := svc("generate", "A calm fishing game with many words in its brief, more than fit", "-o", dir)
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	index := filepath.Join(dir, "index.html")
	if stdout != index+"\n" {
		t.Errorf("stdout %q, want only %s", stdout, index)
	}
	if _, err := os.Stat(index); err != nil {
		t.Error(err)
	}
	if names := s.created(); len(names) != 1 || !strings.HasPrefix(names[0], "A calm fishing game") {
		t.Errorf("created projects %q", names)
	}
	if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) != 1 {
		t.Errorf("files beside the game: %v, %v", left, err)
	}
}

func TestSecondGenerateShowsWhatChanged(t *testing.T) {
	s := newFakeService(t)
	dir := filepath.Join(t.TempDir(), "game")
	s.game = map[string]string{
		"index.html": "one", "old.js": "x", "same.js": "same",
		"src/game.json": `{"title":"Fish","rules":{"lives":3,"speed":1.5},"colors":["#fff","#000"]}`,
	}
	if code, _, stderr := svc("generate", "a game", "-o", dir); code != exitOK {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	s.game = map[string]string{
		"index.html": "three", "new.js": "yy", "same.js": "same",
		"src/game.json": `{"title":"Fish","rules":{"lives":4,"speed":1.5,"pink":true},"colors":["#fff"]}`,
	}
	code, stdout, stderr := svc("generate", "faster", "-p", fakeProject, "-o", dir)
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	want := []string{
		"changed  index.html  3 → 5 bytes",
		"added    new.js  2 bytes",
		"removed  old.js  1 bytes",
		"changed  src/game.json  73 → 78 bytes",
		`  colors[1]: "#000" → (none)`,
		"  rules.lives: 3 → 4",
		"  rules.pink: (none) → true",
		filepath.Join(dir, "index.html"),
	}
	if got := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n"); !slices.Equal(got, want) {
		t.Errorf("stdout\n%s\nwant\n%s", stdout, strings.Join(want, "\n"))
	}
	if names := s.created(); len(names) != 1 {
		t.Errorf("the second run created a project: %q", names)
	}
	if _, err := os.Stat(filepath.Join(dir, "old.js")); err == nil {
		t.Error("old.js is still there")
	}
}

func TestGameOfAnotherProjectIsNotComparedWith(t *testing.T) {
	s := newFakeService(t)
	dir := filepath.Join(t.TempDir(), "game")
	if code, _, stderr := svc("generate", "a game", "-o", dir); code != exitOK {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	manifest := filepath.Join(dir, manifestName)
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	write(t, manifest, strings.ReplaceAll(string(text), fakeProject, "ffffffffffffffffffffffff"))
	s.game = map[string]string{"index.html": "another"}
	code, stdout, stderr := svc("generate", "a game", "-o", dir)
	if code != exitOK || stdout != filepath.Join(dir, "index.html")+"\n" {
		t.Errorf("exit %d: %q %s", code, stdout, stderr)
	}
}

func TestGenerateKeepsFilesThatItDidNotWrite(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(t *testing.T, dir string)
	}{
		{"a file of the user", func(t *testing.T, dir string) { write(t, filepath.Join(dir, "notes.txt"), "mine") }},
		{"an edited file", func(t *testing.T, dir string) { write(t, filepath.Join(dir, "index.html"), "edited") }},
		{"a link", func(t *testing.T, dir string) {
			if err := os.Symlink("/", filepath.Join(dir, "root")); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newFakeService(t)
			dir := filepath.Join(t.TempDir(), "game")
			if code, _, stderr := svc("generate", "a game", "-o", dir); code != exitOK {
				t.Fatalf("exit %d: %s", code, stderr)
			}
			tt.spoil(t, dir)
			code, _, stderr := svc("generate", "faster", "-p", fakeProject, "-o", dir)
			if code != exitUsage || !strings.Contains(stderr, "--force") {
				t.Errorf("exit %d: %s", code, stderr)
			}
			if n := len(s.submitted()); n != 1 {
				t.Errorf("%d jobs were submitted, want 1: a job that can't be unpacked must not be paid for", n)
			}
			if code, _, stderr := svc("generate", "faster", "-p", fakeProject, "-o", dir, "--force"); code != exitOK {
				t.Errorf("with --force: exit %d: %s", code, stderr)
			}
		})
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestGenerateRefusesToReplaceTheCurrentDirectory(t *testing.T) {
	newFakeService(t)
	t.Chdir(t.TempDir())
	for _, dir := range []string{".", ".."} {
		if code, _, stderr := svc("generate", "a game", "-o", dir); code != exitUsage {
			t.Errorf("-o %s: exit %d: %s", dir, code, stderr)
		}
	}
}

func TestExitCodesOfGenerate(t *testing.T) {
	refuse := func(e answers.Error) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPost && r.URL.Path == "/v1/generate" {
				e.WriteTo(w)
				return true
			}
			return false
		}
	}
	for _, tt := range []struct {
		name  string
		setup func(s *fakeService)
		code  int
		says  string
	}{
		{"completed", func(*fakeService) {}, exitOK, ""},
		{"failed", func(s *fakeService) {
			s.status, s.failure = api.JobFailed, &api.Failure{Code: api.FailureTIKExhausted, Message: "The TIK ran out."}
		}, exitJobFailed, "The TIK ran out. (tik_exhausted)"},
		{"cancelled", func(s *fakeService) { s.status = api.JobCancelled }, exitJobCancelled, "cancelled"},
		{"limit", func(s *fakeService) {
			s.refuse = refuse(answers.Error{Status: 429, Message: "Used up.", Reason: api.ReasonLimitExceeded, Limit: api.LimitJobsPerDay})
		}, exitLimitExceeded, "Used up."},
		{"dead key", func(s *fakeService) {
			s.refuse = refuse(answers.Error{Status: 401, Message: "Revoked.", Reason: api.ReasonRevoked})
		}, exitAuthentication, "Revoked."},
		{"no capacity within the budget", func(s *fakeService) {
			s.refuse = refuse(answers.Error{Status: 503, Message: "Starting.", RetryAfter: time.Hour, Starting: true})
		}, exitNoCapacity, "Starting."},
		{"forbidden", func(s *fakeService) { s.refuse = refuse(answers.Error{Status: 403, Message: "Not yours."}) }, exitError, "Not yours."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newFakeService(t)
			tt.setup(s)
			code, _, stderr := svc("generate", "a game", "-p", fakeProject)
			if code != tt.code || !strings.Contains(stderr, tt.says) {
				t.Errorf("exit %d, want %d: %s", code, tt.code, stderr)
			}
		})
	}
}

func TestRefusedBriefLeavesNoEmptyProject(t *testing.T) {
	s := newFakeService(t)
	var deleted []string
	status := http.StatusBadRequest
	s.refuse = func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.Method == http.MethodPost && r.URL.Path == "/v1/generate":
			(&answers.Error{Status: status, Message: "There is no model nobody.", RetryAfter: time.Hour}).WriteTo(w)
		case r.Method == http.MethodDelete:
			deleted = append(deleted, r.URL.Path)
			answer(w, http.StatusOK, map[string]any{"success": true})
		default:
			return false
		}
		return true
	}
	code, _, stderr := svc("generate", "a game", "--settings", "model=nobody")
	if code != exitError || !strings.Contains(stderr, "There is no model nobody.") || !slices.Equal(deleted, []string{"/v1/projects/" + fakeProject}) {
		t.Errorf("exit %d, deleted %q: %s", code, deleted, stderr)
	}
	if code, _, _ = svc("generate", "a game", "-p", fakeProject); code != exitError || len(deleted) != 1 {
		t.Errorf("a project that was there: exit %d, deleted %q", code, deleted)
	}
	status = http.StatusServiceUnavailable // it may be accepted yet
	if code, _, _ = svc("generate", "a game"); code != exitNoCapacity || len(deleted) != 1 {
		t.Errorf("a service that is away: exit %d, deleted %q", code, deleted)
	}
	for _, status = range []int{http.StatusConflict, http.StatusInternalServerError} { // an earlier attempt may have been accepted
		if code, _, _ = svc("generate", "a game"); code == exitOK || len(deleted) != 1 {
			t.Errorf("%d: exit %d, deleted %q", status, code, deleted)
		}
	}
}

func TestWrongUsageIsExitCode2AndSendsNothing(t *testing.T) {
	s := newFakeService(t)
	s.refuse = func(_ http.ResponseWriter, r *http.Request) bool {
		t.Errorf("sent %s %s", r.Method, r.URL)
		return false
	}
	for _, args := range [][]string{
		{"generate"},
		{"generate", "a", "b"},
		{"generate", " "},
		{"generate", "a game", "--unknown"},
		{"generate", "a game", "-p", "not-an-id"},
		{"generate", "a game", "--settings", "volume=11"},
		{"generate", "a game", "--settings", "aiImages=perhaps"},
		{"generate", "a game", "--settings", "model"},
		{"generate", "a game", "--instructions", "/does/not/exist"},
		{"generate", "a game", "--base-url", "localhost"},
		{"download", fakeJob},
		{"status"},
		{"projects", "destroy"},
		{"conjure"},
	} {
		if code, _, stderr := svc(args...); code != exitUsage || stderr == "" {
			t.Errorf("svc %q: exit %d: %s", args, code, stderr)
		}
	}
}

func TestGenerateSendsWhatItWasGiven(t *testing.T) {
	s := newFakeService(t)
	instructions := filepath.Join(t.TempDir(), "AGENTS.md")
	write(t, instructions, "Be kind.")
	code, _, stderr := svcWithInput("a game\nfrom a pipe", "generate", "-", "-p", fakeProject, "--instructions", instructions,
		"--settings", "aiImages=false", "--settings", "reasoningLevel=low")
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	want := `{"projectId":"` + fakeProject + `","prompt":"a game\nfrom a pipe","instructions":"Be kind.",` +
		`"settings":{"reasoningLevel":"low","aiImages":false}}`
	if bodies := s.submitted(); len(bodies) != 1 || bodies[0] != want {
		t.Errorf("sent %q, want %s", bodies, want)
	}
}

func TestGenerateJSONIsOneObject(t *testing.T) {
	newFakeService(t)
	dir := filepath.Join(t.TempDir(), "game")
	code, stdout, stderr := svc("generate", "a game", "-o", dir, "--json")
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	var got generated
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if got.Job.JobID != fakeJob || got.Index != filepath.Join(dir, "index.html") || got.Changes == nil || len(got.Changes.Files) != 1 {
		t.Errorf("got %s", stdout)
	}
}

func TestInterruptWhileTheEngineStartsSaysThatThereIsNoJob(t *testing.T) {
	s := newFakeService(t)
	asked := make(chan struct{})
	s.refuse = func(w http.ResponseWriter, _ *http.Request) bool {
		answers.EngineStarting(30 * time.Second).WriteTo(w)
		close(asked)
		return true
	}
	go func() {
		<-asked
		_ = syscall.Kill(os.Getpid(), syscall.SIGINT)
	}()
	code, _, stderr := svc("generate", "a game", "-p", fakeProject)
	if code != exitInterrupted || !strings.Contains(stderr, "interrupted before the service had accepted a job") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}
