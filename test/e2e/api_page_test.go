package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/test/wait"
)

var snippet = regexp.MustCompile("(?ms)^```(sh|js|python|go)\n(.*?)^```$")

// programsOf returns the snippets of a page, those of each language as one program.
func programsOf(t *testing.T, page string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), page))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, found := range snippet.FindAllSubmatch(text, -1) {
		all[string(found[1])] += string(found[2])
	}
	return all
}

// TestAPIPageIsTrueInEachLanguage: who copies its snippets, one after another, has a game
// in the end; so has who copies those of a library's README.
func TestAPIPageIsTrueInEachLanguage(t *testing.T) {
	s := start(t, inOneForm(t), "SVC_ENGINE_START_DELAY=2s", "SVC_RETRY_AFTER=1s")
	key := s.newKey("demo")
	for page, wants := range map[string]map[string]string{
		"docs/api.md":                 {"sh": "/play/", "js": " TIK", "python": " TIK", "go": " files"},
		"client/typescript/README.md": {"js": "completed"},
		"client/python/README.md":     {"python": "completed"},
	} {
		all := programsOf(t, page)
		if len(all) != len(wants) {
			t.Errorf("%s has %d languages, want %d", page, len(all), len(wants))
		}
		for language, want := range wants {
			began := time.Now()
			if said, err := s.copied(language, all[language], key); err != nil || !strings.Contains(said, want) {
				t.Errorf("%s, %s: %v\n%s", page, language, err, said)
			}
			t.Logf("%s, %s: %s", page, language, time.Since(began).Round(time.Second))
		}
	}
}

// copied runs a program of a page, in a folder in which the libraries are installed.
func (s *service) copied(language, program string, key apiKey) (string, error) {
	ctx, cancel := wait.Within(s.t.Context(), wait.Patience)
	defer cancel()
	run := s.program(ctx, language, program, "SVC_BASE_URL=http://"+s.addr, "SVC_API_KEY="+key.Secret)
	said, err := run.CombinedOutput()
	return string(said), err
}

// program is a program of a page that is to run.
func (s *service) program(ctx context.Context, language, program string, env ...string) *exec.Cmd {
	t, dir := s.t, s.t.TempDir()
	t.Helper()
	file := filepath.Join(dir, map[string]string{"sh": "flow.sh", "js": "flow.mjs", "python": "flow.py", "go": "main.go"}[language])
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(dir, "node_modules", "@svc-games")
	if err := os.MkdirAll(library, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root(t), "client", "typescript"), filepath.Join(library, "client")); err != nil {
		t.Fatal(err)
	}
	command := map[string][]string{
		"sh": {"sh", "-eu", file}, "js": {"node", file}, "python": {"python3", "-B", file}, "go": {filepath.Join(dir, "flow")},
	}[language]
	if language == "go" {
		build := exec.CommandContext(ctx, "go", "build", "-o", command[0], file)
		build.Dir = root(t)
		if said, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
	}
	run := exec.CommandContext(ctx, command[0], command[1:]...)
	run.Dir = dir
	run.Env = append(append(os.Environ(), "PYTHONPATH="+filepath.Join(root(t), "client", "python")), env...)
	return run
}
