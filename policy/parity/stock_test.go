package parity_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/policy/verify"
)

// stockOPA puts the program of OPA's own release into PATH. The go command builds it once
// and keeps it in its cache.
func stockOPA(t *testing.T) {
	t.Helper()
	cmd := exec.Command("go", "tool", "-n", "opa")
	cmd.Dir = filepath.Join("..", "..", "test", "opa")
	cmd.Env = append(os.Environ(), "GOFLAGS=-trimpath", "CGO_ENABLED=0") // as "make stock-opa" does, so that it is in the cache
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		t.Fatalf("building OPA: %v: %s", err, exit.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(strings.TrimSpace(string(out)))+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// documented returns the commands with OPA's program of the README, in their order.
func documented(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## With OPA's own program\n")
	_, block, _ := strings.Cut(section, "```sh\n")
	block, _, _ = strings.Cut(block, "```")
	return strings.Split(strings.TrimSpace(block), "\n")
}

// TestStockOPAWorksOnThePolicyAsItLiesThere runs the commands of the README as they
// stand there, in a folder with the policy and its input, and in one with a mistake.
func TestStockOPAWorksOnThePolicyAsItLiesThere(t *testing.T) {
	stockOPA(t)
	good, broken := t.TempDir(), t.TempDir()
	input, err := json.Marshal(verify.Poll())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{good, broken} {
		if err := errors.Join(os.CopyFS(filepath.Join(dir, "policy"), os.DirFS("..")), os.WriteFile(filepath.Join(dir, "input.json"), input, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	rule := filepath.Join(broken, "policy", "svc", "authz", "authz.rego")
	text, err := os.ReadFile(rule)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(rule, []byte(strings.Replace(string(text), "\tinput.action", "  input.acton", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(dir, command string) (string, error) {
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	commands := documented(t)
	if len(commands) != 5 {
		t.Fatalf("the README has the commands %q", commands)
	}
	for _, command := range commands {
		out, err := run(good, command)
		if err != nil {
			t.Errorf("%s: %v: %s", command, err, out)
		}
		if strings.HasPrefix(command, "opa exec") && !strings.Contains(out, `"rule": "allowed"`) {
			t.Errorf("%s: %s", command, out)
		}
	}
	for _, command := range commands[:3] { // test, check, fmt
		if out, err := run(broken, command); err == nil {
			t.Errorf("%s: takes a mistake: %s", command, out)
		}
	}
	sameBundle(t, filepath.Join(good, "policy.tar.gz"))
}

// sameBundle checks that the service takes what OPA built for the policy that it
// was built from.
func sameBundle(t *testing.T, path string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	files, err := bundle.ReadArchive(file)
	if err != nil {
		t.Fatal(err)
	}
	built, err := policy.NewEvaluator(files)
	if err != nil {
		t.Fatal(err)
	}
	shipped, err := policy.NewEvaluator(policy.Embedded())
	if err := errors.Join(err, policy.CheckNoData(files)); err != nil || built.Revision() != shipped.Revision() {
		t.Errorf("OPA built %s of %s, %v", built.Revision(), shipped.Revision(), err)
	}
}
