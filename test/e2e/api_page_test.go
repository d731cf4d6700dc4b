package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/svc-games/svc/test/wait"
)

var snippet = regexp.MustCompile("(?ms)^```(sh|js|python|go)\n(.*?)^```$")

// TestAPIPageIsTrueInEachLanguage: who copies its snippets, one after another, has a game
// in the end.
func TestAPIPageIsTrueInEachLanguage(t *testing.T) {
	s := start(t, inOneForm(t), "SVC_ENGINE_START_DELAY=2s", "SVC_RETRY_AFTER=1s")
	key := s.newKey("demo")
	page, err := os.ReadFile(filepath.Join(root(t), "docs", "api.md"))
	if err != nil {
		t.Fatal(err)
	}
	programs := map[string]string{}
	for _, found := range snippet.FindAllSubmatch(page, -1) {
		programs[string(found[1])] += string(found[2])
	}
	for language, want := range map[string]string{"sh": "duck.zip", "js": " TIK", "python": " TIK", "go": " files"} {
		dir := t.TempDir()
		file := filepath.Join(dir, map[string]string{"sh": "flow.sh", "js": "flow.mjs", "python": "flow.py", "go": "main.go"}[language])
		if err := os.WriteFile(file, []byte(programs[language]), 0o600); err != nil {
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
			build := exec.CommandContext(t.Context(), "go", "build", "-o", command[0], file)
			build.Dir = root(t)
			if said, err := build.CombinedOutput(); err != nil {
				t.Errorf("go: %v\n%s", err, said)
				continue
			}
		}
		ctx, cancel := wait.Within(t.Context(), wait.Patience)
		defer cancel()
		run := exec.CommandContext(ctx, command[0], command[1:]...)
		run.Dir = dir
		run.Env = append(os.Environ(), "SVC_BASE_URL=http://"+s.addr, "SVC_API_KEY="+key.Secret,
			"PYTHONPATH="+filepath.Join(root(t), "client", "python"))
		said, err := run.CombinedOutput()
		if err != nil || !strings.Contains(string(said), want) {
			t.Errorf("%s: %v\n%s", language, err, said)
		}
	}
}
