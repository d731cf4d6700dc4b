package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// audit runs scripts/audit with programs in place of go, npm and govulncheck, each a line
// of shell, the last "" for one that go is to build, and returns what it says and whether it succeeds.
func audit(t *testing.T, licences, npm, vulnerabilities string) (said string, ok bool) {
	t.Helper()
	dir := t.TempDir()
	for name, line := range map[string]string{"go": licences, "npm": npm, "govulncheck": vulnerabilities} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+line+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("../../scripts/audit")
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "GO=go", "GOVULNCHECK=")
	if vulnerabilities != "" {
		cmd.Env = append(cmd.Env, "GOVULNCHECK="+filepath.Join(dir, "govulncheck"))
	}
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

func TestAuditSaysOfEachPartWhetherItWasLookedAtAndWhatItFound(t *testing.T) {
	const good, faults = "exit 0", `echo '{"auditReportVersion": 2}'; exit 1`
	for _, tc := range []struct {
		name                           string
		licences, npm, vulnerabilities string
		want                           string // "" for success
	}{
		{"all is well", good, good, good, ""},
		{"a licence", "echo bad, a licence that is not allowed; exit 1", good, good, "audit: licences: FAILED\nbad, a licence that is not allowed\n"},
		{"no programs", "echo no bin; exit 1", good, good, "audit: licences: NOT CHECKED: programs or their modules are missing; run: make build\nno bin\n"},
		{"a fault of npm's", good, faults, good, "audit: npm audit of engine/web: FAILED\n"},
		{"no answer of npm's", good, "echo no route; exit 1", good, "audit: npm audit of engine/web: NOT CHECKED: the registry did not answer\nno route\n"},
		{"a fault of a module", good, good, "echo GO-1; exit 3", "audit: govulncheck: FAILED\nGO-1\n"},
		{"no govulncheck", `case $1 in tool) echo no module >&2; exit 1 ;; esac`, good, "", "audit: govulncheck: NOT CHECKED: it was not built\nno module\n"},
		{"no list of faults", good, good, "echo no host; exit 1", "audit: govulncheck: NOT CHECKED: its list of faults could not be had\nno host\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			said, ok := audit(t, tc.licences, tc.npm, tc.vulnerabilities)
			if ok != (tc.want == "") || !strings.Contains(said, tc.want) {
				t.Errorf("success is %v, and it says\n%swant\n%s", ok, said, tc.want)
			}
			if lines := strings.Count(said, "audit: "); lines != 4 {
				t.Errorf("it names %d parts, want 4:\n%s", lines, said)
			}
		})
	}
}
