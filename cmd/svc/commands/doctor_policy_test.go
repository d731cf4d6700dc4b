package commands

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/test/freeport"
	"github.com/svc-games/svc/test/wait"
)

func TestDoctorSaysFirstThatThePolicyIsNotTheOneOfItsSource(t *testing.T) {
	t.Setenv("SVC_ADDRESS", "http://"+freeport.Address(t))
	first := func(dir string) (line, all string) {
		_, stdout, _ := svc("doctor", "--data-dir", dir)
		line, _, _ = strings.Cut(stdout, "\n")
		return line, stdout
	}
	if line, all := first(t.TempDir()); strings.Contains(all, "policy:") || line == "" {
		t.Errorf("without a service: %s", all)
	}
	whole := startAdminService(t)
	if line, all := first(whole.dir); !strings.HasPrefix(line, "ok    policy: "+whole.engine.Revision()+" decides") {
		t.Errorf("got %s", all)
	}
	source := t.TempDir()
	if err := os.CopyFS(source, os.DirFS(policytest.Example(t))); err != nil {
		t.Fatal(err)
	}
	degraded := startAdminServiceWith(t, activation.Options{Source: source})
	if err := os.WriteFile(filepath.Join(source, "broken.rego"), []byte("package svc.authz\nallow if {"), 0o600); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "the source is looked at", func() bool { return degraded.engine.Status().Degraded })
	line, all := first(degraded.dir)
	if !strings.HasPrefix(line, "FAIL  policy: "+degraded.engine.Revision()+" decides, and not the one of "+source+": step ") || !strings.Contains(line, "svc policy status") {
		t.Errorf("got %s", all)
	}
	if code, _, _ := svc("doctor", "--data-dir", degraded.dir); code != exitError {
		t.Errorf("exit %d", code)
	}
}
