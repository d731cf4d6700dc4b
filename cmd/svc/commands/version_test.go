package commands

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// TestVersionIsOfTheCommitThatWasBuilt builds what lies here in a clone: in a second work
// tree of git the go command names no commit.
func TestVersionIsOfTheCommitThatWasBuilt(t *testing.T) {
	const root = "../../.."
	run := func(dir, program string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath"), os.Stderr // as make build does
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", cmd, err)
		}
		return string(out)
	}
	clone, program := t.TempDir(), filepath.Join(t.TempDir(), "svc")
	run(root, "git", "clone", "--quiet", "--shared", "--no-tags", "--no-checkout", ".", clone)
	run(root, "git", "--git-dir", filepath.Join(clone, ".git"), "--work-tree", ".", "add", "--all")
	run(clone, "git", "checkout-index", "--all")
	run(clone, "go", "build", "-ldflags", "-s -w", "-o", program, "./cmd/svc")
	commit := run(clone, "git", "rev-parse", "HEAD")
	want := regexp.MustCompile(`^svc version v0\.0\.0-\d{14}-` + commit[:12] + `(\+dirty)?\n$`)
	for _, asked := range []string{"--version", "version"} {
		if said := run(clone, program, asked); !want.MatchString(said) {
			t.Errorf("svc %s says %q, want %s", asked, said, want)
		}
	}
}
