package commands

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestCertificatesAreRenewedAndNotMadeTwice(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "certs")
	if code, stdout, stderr := svc("certs", "init", dir, "--host", "sidecar=10.0.0.5"); code != 0 || !strings.Contains(stdout, "10.0.0.5") {
		t.Fatalf("exit %d: %s%s", code, stdout, stderr)
	}
	if code, _, stderr := svc("certs", "init", dir); code == 0 || !strings.Contains(stderr, "svc certs renew") {
		t.Errorf("a second time: exit %d: %s", code, stderr)
	}
	if code, _, stderr := svc("certs", "renew", dir); code != 0 {
		t.Errorf("exit %d: %s", code, stderr)
	}
}
