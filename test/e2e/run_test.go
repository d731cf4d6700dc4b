package e2e

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// folder makes a folder that looks like the repository after a build, so that
// the scripts leave nothing in the real one.
func (s *service) folder() string {
	s.t.Helper()
	dir := s.t.TempDir()
	links := map[string]string{
		"Caddyfile": filepath.Join(root(s.t), "Caddyfile"),
		"scripts":   filepath.Join(root(s.t), "scripts"),
		"bin":       filepath.Dir(bin(s.t, "caddy")),
	}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			s.t.Fatal(err)
		}
	}
	return dir
}

// demoOutput runs the demonstration and returns what it prints: at last the path
// of the game.
func demoOutput(t *testing.T, demo *exec.Cmd) string {
	t.Helper()
	out, err := demo.Output()
	if err != nil {
		var exit *exec.ExitError
		errors.As(err, &exit)
		t.Fatalf("demo: %v: %s", err, exit.Stderr)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	index := filepath.Join(demo.Dir, lines[len(lines)-1])
	if _, err := os.Stat(index); err != nil || filepath.Base(index) != "index.html" {
		t.Errorf("the last line is %q: %v", lines[len(lines)-1], err)
	}
	return string(out)
}

func TestRunAndDemoAsANewcomerDoes(t *testing.T) {
	f := inOneForm(t)
	s := newService(t, f)
	dir := s.folder()
	script := func(name string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(dir, "scripts", name))
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "SVC_ADDRESS=http://"+s.addr, "SVC_DATA_DIR="+s.dir, "SVC_LOG_FORMAT=json")
		cmd.Env = append(cmd.Env, "SVC_DECISION_TIMEOUT=10s") // in newcomers' terminals nothing else runs
		return cmd
	}
	s.run(script("run"))
	s.eventually("the block is printed", func() bool { return strings.Contains(s.log.String(), "make demo") })
	block := s.log.String()
	keyFile := filepath.Join(s.dir, "demo-key")
	for _, want := range []string{"http://" + s.addr, keyFile} {
		if !strings.Contains(block, want) {
			t.Errorf("the block does not name %s", want)
		}
	}
	secret, err := os.ReadFile(keyFile)
	if err != nil {
		t.Fatal(err)
	}
	s.secrets = append(s.secrets, strings.TrimSpace(string(secret)))
	if info, err := os.Stat(keyFile); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key's file has mode %v, %v", info.Mode(), err)
	}

	demo := func() string { t.Helper(); return demoOutput(t, script("demo")) }
	made := strings.Split(strings.TrimSpace(demo()), "\n")
	if page := made[len(made)-2]; strings.HasPrefix(page, "http://"+s.addr+"/play/") {
		s.wantPage(page, http.StatusOK)
	} else {
		t.Errorf("the line before the last is %q, no address of a published game", page)
	}
	if change := demo(); !strings.Contains(change, "play.speed") || !strings.Contains(change, "changed") {
		t.Errorf("the second run shows %q", change)
	}
	// Its browser has played both: neither wants more of the kernel than is listed.
	// But the crash handler of a Chromium that crashed would look into it, and may not.
	for line := range strings.Lines(s.log.String()) {
		if strings.Contains(line, "system call that is not listed") && !strings.Contains(line, `"call":"ptrace"`) {
			t.Errorf("the engine asked for more than it may: %s", line)
		}
	}

	again := script("run")
	if out, err := again.CombinedOutput(); err == nil || !strings.Contains(string(out), "already runs") {
		t.Errorf("a second service on the same data: %v, %s", err, out)
	}
	if err := s.stop(os.Interrupt); err != nil {
		t.Errorf("a clean stop ended with %v", err)
	}

	// Started again, the same key still works.
	said := len(s.log.String())
	s.run(script("run"))
	s.eventually("the block is printed again", func() bool { return strings.Contains(s.log.String()[said:], "make demo") })
	demo()
	if after, err := os.ReadFile(keyFile); err != nil || string(after) != string(secret) {
		t.Errorf("the key was made anew: %v", err)
	}
}
