package commands

import (
	"bytes"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/svc-games/svc/policy/policytest"
)

// fullDisk is an output that takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestWhatCanNotBeWrittenIsAnError(t *testing.T) {
	s := startAdminService(t)
	s.must(t, "user", "create", "alice")
	s.must(t, "key", "create", "--user", "alice", "--name", "ci")
	engines, project := failedEngine(t)
	for _, args := range [][]string{
		{"admin", "user", "show", "alice"},
		{"admin", "user", "statement", "alice"},
		{"admin", "key", "list"},
		{"admin", "key", "usage"},
		{"admin", "project", "list"},
		{"admin", "audit"},
		{"admin", "login-link", "--user", "alice"},
		{"policy", "status"},
		{"policy", "activate", policytest.Example(t)},
		{"policy", "shadow", policytest.Example(t)},
		{"policy", "shadow", "--report"},
		{"engines", "list"},
		{"engines", "list", "--watch"},
		{"engines", "show", project},
	} {
		t.Run(strings.Join(args[:2], " "), func(t *testing.T) {
			dir := s.dir
			if args[0] == "engines" {
				dir = engines
			}
			var errs bytes.Buffer
			code := Execute(append(args, "--data-dir", dir), strings.NewReader(""), fullDisk{}, &errs)
			if code != exitError || !strings.Contains(errs.String(), "no space left") {
				t.Errorf("exit code %d: %s", code, errs.String())
			}
		})
	}
}

func TestAnyCommandFailsWhoseOutputCanNotBeWritten(t *testing.T) {
	newFakeService(t)
	for _, args := range [][]string{
		{"projects", "list"},
		{"projects", "list", "--json"},
		{"projects", "create", "Duck"},
		{"status", fakeJob},
		{"watch", fakeJob},
		{"policy", "test"},
		{"policy", "key", filepath.Join(t.TempDir(), "key")},
		{"doctor", "--data-dir", t.TempDir()},
		{"--version"},
		{"engines", "--help"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			var errs bytes.Buffer
			code := Execute(args, strings.NewReader(""), fullDisk{}, &errs)
			if code != exitError || !strings.Contains(errs.String(), "no space left") || strings.Contains(errs.String(), "usage:") {
				t.Errorf("exit code %d: %s", code, errs.String())
			}
		})
	}
}

func TestAKeyWhoseSecretCanNotBeWrittenIsNamed(t *testing.T) {
	s := startAdminService(t)
	s.must(t, "user", "create", "alice")
	var errs bytes.Buffer
	code := Execute([]string{"admin", "key", "create", "--user", "alice", "--name", "ci", "--data-dir", s.dir}, strings.NewReader(""), fullDisk{}, &errs)
	if code != exitError || !strings.Contains(errs.String(), "the secret of key_") || strings.Contains(errs.String(), "keep it now") {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
}
