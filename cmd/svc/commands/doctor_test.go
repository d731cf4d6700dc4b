package commands

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/cmd/svc/doctor"
	"github.com/svc-games/svc/test/freeport"
)

func TestDoctorNamesWhatIsMissingAndWhatToDo(t *testing.T) {
	t.Setenv("SVC_ADDRESS", "http://"+freeport.Address(t))
	t.Setenv("SVC_FRAMEWORKS", "")
	dir := filepath.Join(t.TempDir(), "data")
	code, stdout, _ := svc("doctor", "--data-dir", dir, "--json")
	var checks []doctor.Check
	if err := json.Unmarshal([]byte(stdout), &checks); err != nil {
		t.Fatal(err)
	}
	found := map[string]doctor.Check{}
	for _, k := range checks {
		found[k.Name] = k
		if !k.OK && k.Advice == "" {
			t.Errorf("%s: %s, without advice", k.Name, k.Found)
		}
	}
	// The test program has neither engine nor framework beside it.
	if code != exitError || found["engine program"].OK || found["game framework"].OK {
		t.Errorf("exit %d: %s", code, stdout)
	}
	if !found["data directory"].OK || !found["address"].OK || found["Chromium"].Required {
		t.Errorf("got %s", stdout)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the check made the data directory")
	}
	code, stdout, stderr := svc("doctor", "--data-dir", dir)
	if code != exitError || !strings.Contains(stdout, "FAIL  engine program") || !strings.Contains(stdout, "run make build") || stderr == "" {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
}

func TestDoctorNamesProjectsWhoseJournalOfModelCallsIsDamaged(t *testing.T) {
	t.Setenv("SVC_ADDRESS", "http://"+freeport.Address(t))
	dir := t.TempDir()
	journals := filepath.Join(dir, "egress")
	if err := os.Mkdir(journals, 0o700); err != nil {
		t.Fatal(err)
	}
	const whole, damaged = "0123456789abcdef01234567", "fedcba9876543210fedcba98"
	write := func(project, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(journals, project+".calls"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(whole, `{"call":1,"charged":true}`+"\n"+`{"call":2,"jo`) // is being written
	if _, stdout, _ := svc("doctor", "--data-dir", dir); strings.Contains(stdout, "journals") {
		t.Errorf("with none damaged: %s", stdout)
	}
	write(damaged, "\x00\x00\n"+`{"call":1,"charged":true}`+"\n")
	_, stdout, _ := svc("doctor", "--data-dir", dir)
	if !strings.Contains(stdout, "no    journals of model calls: damaged for "+damaged+"; ") || strings.Contains(stdout, whole) {
		t.Errorf("got %s", stdout)
	}
	if raw, err := os.ReadFile(filepath.Join(journals, whole+".calls")); err != nil || !strings.HasSuffix(string(raw), "jo") {
		t.Errorf("the journal became %q, %v", raw, err)
	}
}

func TestPolicyTestRunsTheEmbeddedPolicyAndADirectory(t *testing.T) {
	code, stdout, stderr := svc("policy", "test")
	if code != exitOK || !strings.Contains(stdout, "0 failed, coverage 100.0 %") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "svc", "authz"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "svc", "authz", "authz.rego"), "package svc.authz\n\ndecision := 1\n")
	write(t, filepath.Join(dir, "svc", "authz", "authz_test.rego"),
		"package svc.authz_test\n\nimport data.svc.authz\n\ntest_two if authz.decision == 2\n")
	code, stdout, _ = svc("policy", "test", dir)
	if code != exitError || !strings.Contains(stdout, "FAIL svc/authz/authz_test.rego:5 data.svc.authz_test.test_two") {
		t.Errorf("exit %d: %s", code, stdout)
	}
	if code, _, stderr := svc("policy", "test", filepath.Join(dir, "nowhere")); code != exitError || stderr == "" {
		t.Errorf("exit %d: %s", code, stderr)
	}
}
