package commands

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestDoctorSaysWhenACertificateEnds(t *testing.T) {
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
	path := filepath.Join(dir, "gateway.pem")
	const day = 24 * time.Hour
	for days, want := range map[time.Duration]check{
		0:   {OK: true, Required: true, Found: "that of gateway is good until "},
		350: {Found: "that of gateway ends on "},
		366: {Required: true, Found: "that of gateway ended on "},
	} {
		got := checkCertificate(path, time.Now().Add(days*day))
		if len(got) != 1 || got[0].OK != want.OK || got[0].Required != want.Required || !strings.HasPrefix(got[0].Found, want.Found) {
			t.Errorf("after %d days: %+v", days, got)
		}
	}
	if got := checkCertificate("", time.Now()); got != nil {
		t.Errorf("without one: %+v", got)
	}
	if got := checkCertificate(filepath.Join(dir, "gateway.key"), time.Now()); len(got) != 1 || got[0].OK {
		t.Errorf("a key: %+v", got)
	}
}
