package commands

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
)

// runAsSVC makes the test program behave as svc, for the tests of scripts.
const runAsSVC = "SVC_TEST_RUN_AS_SVC"

func TestMain(m *testing.M) {
	if os.Getenv(runAsSVC) != "" {
		os.Exit(Execute(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(postgrestest.Main(m))
}

// checkout is a directory as make demo finds it: scripts/demo, bin/svc and the
// key that make run left.
func checkout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, sub := range []string{"bin", "data"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(dir, "bin", "svc")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "data", "demo-key"), fakeKey+"\n")
	return dir
}

func demo(t *testing.T, dir string, env ...string) (failed bool, stdout, stderr string) {
	t.Helper()
	script, err := filepath.Abs("../../../scripts/demo")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), append([]string{runAsSVC + "=1", "SVC_API_KEY=", "SVC_DATA_DIR="}, env...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return err != nil, out.String(), errs.String()
}

func TestDemoMakesAGameAndThenChangesItAndPublishesBoth(t *testing.T) {
	s := newFakeService(t)
	dir := checkout(t)
	failed, stdout, stderr := demo(t, dir)
	page := os.Getenv("SVC_BASE_URL") + answers.PlayPath(fakeProject)
	if failed || stdout != page+"\ndemo/game/index.html\n" {
		t.Fatalf("first run: %q %s", stdout, stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "demo", "game", "index.html")); err != nil {
		t.Error(err)
	}
	s.locked(func() { s.game = map[string]string{"index.html": "pink"} })
	failed, stdout, stderr = demo(t, dir)
	if failed || stdout != "changed  index.html  15 → 4 bytes\n"+page+"\ndemo/game/index.html\n" {
		t.Fatalf("second run: %q %s", stdout, stderr)
	}
	names, bodies := s.created(), s.submitted()
	if len(names) != 1 || len(bodies) != 2 || !strings.Contains(bodies[1], "add a life") {
		t.Fatalf("projects %q, jobs %q", names, bodies)
	}
	failed, _, stderr = demo(t, dir, "BRIEF=more frogs")
	if bodies := s.submitted(); failed || len(bodies) != 3 || !strings.Contains(bodies[2], "more frogs") {
		t.Errorf("BRIEF was not used: %q %s", bodies, stderr)
	}
}

func TestDemoStartsAnewWhenItsProjectIsGone(t *testing.T) {
	s := newFakeService(t)
	dir := checkout(t)
	if failed, _, stderr := demo(t, dir); failed {
		t.Fatal(stderr)
	}
	write(t, filepath.Join(dir, "demo", ".project"), "ffffffffffffffffffffffff\n")
	if failed, _, stderr := demo(t, dir); failed {
		t.Fatal(stderr)
	}
	names, bodies := s.created(), s.submitted()
	if len(names) != 2 || len(bodies) != 2 || strings.Contains(bodies[1], "add a life") {
		t.Errorf("projects %q, jobs %q", names, bodies)
	}
}

func TestDemoSaysInOneLineWhatIsWrong(t *testing.T) {
	newFakeService(t)
	for _, tt := range []struct {
		name, says string
		env        []string
		spoil      func(t *testing.T, dir string)
	}{
		{"no service", "make run", []string{"SVC_BASE_URL=http://127.0.0.1:1"}, func(*testing.T, string) {}},
		{"no service at the address of the Caddyfile", "http://localhost:1", []string{"SVC_BASE_URL=", "SVC_ADDRESS=:1"}, func(*testing.T, string) {}},
		{"no key", "demo-key", []string{"SVC_DATA_DIR=elsewhere"}, func(*testing.T, string) {}},
		{"other key", "does not accept the key", nil, func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "data", "demo-key"), "sk-other")
		}},
		{"not built", "make build", nil, func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, "bin", "svc")); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := checkout(t)
			tt.spoil(t, dir)
			failed, stdout, stderr := demo(t, dir, tt.env...)
			if !failed || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, tt.says) {
				t.Errorf("failed %t, stdout %q, stderr %q; want one line with %q", failed, stdout, stderr, tt.says)
			}
		})
	}
}

func TestDemoFailsWhenTheJobDoes(t *testing.T) {
	s := newFakeService(t)
	s.locked(func() {
		s.status, s.failure = api.JobFailed, &api.Failure{Code: api.FailureGeneration, Message: "No idea."}
	})
	if failed, stdout, stderr := demo(t, checkout(t)); !failed || !strings.Contains(stderr, "No idea.") {
		t.Errorf("failed %t: %q %s", failed, stdout, stderr)
	}
}
