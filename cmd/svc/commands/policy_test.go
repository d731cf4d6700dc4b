package commands

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/policy/verify"
)

// runPolicy runs "svc policy" with args.
func runPolicy(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Execute(append([]string{"policy"}, args...), strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// brokenPolicy is a directory whose policy does not parse.
func brokenPolicy(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.rego"), []byte("package x\n\nrule := {\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// recorded is a log of two decisions of a policy about a project of another
// user: d-1 is by a user whom the project's readers name.
func recorded(t *testing.T, name string) string {
	t.Helper()
	e, err := new(localOptions).evaluator(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "decisions.jsonl")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w := json.NewEncoder(file)
	for id, readers := range map[string]string{"d-1": "user-1", "d-2": "user-3"} {
		in := verify.Poll()
		in.Project.OwnerID, in.Project.Attributes = "user-2", map[string]string{"readers": readers}
		d, err := e.Decide(t.Context(), in)
		if err := w.Encode(decisionlog.New(id, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), e.Revision(), in, d, err)); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func TestPolicyVerifyPrintsALineForEachStepAndFailsWithTheCause(t *testing.T) {
	code, stdout, stderr := runPolicy(t, "verify", brokenPolicy(t))
	if code != exitError || !strings.Contains(stderr, "failed its verification") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	for _, want := range []string{"parse     failed", "x.rego:4", "compile   skipped", "cost      skipped"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the output lacks %q:\n%s", want, stdout)
		}
	}
	code, stdout, _ = runPolicy(t, "verify", "--json", brokenPolicy(t))
	var v verify.Verification
	if err := json.Unmarshal([]byte(stdout), &v); err != nil || code != exitError || len(v.Steps) != 9 {
		t.Errorf("exit code %d, %v, %d steps", code, err, len(v.Steps))
	}
}

func TestPolicyDiffExitsWith1WhenDecisionsChange(t *testing.T) {
	if code, stdout, stderr := runPolicy(t, "diff", "embedded", "embedded"); code != exitOK || stdout != "" || !strings.Contains(stderr, "no decision") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
	code, stdout, _ := runPolicy(t, "diff", "embedded", policytest.Example(t))
	if code != exitError || !strings.Contains(stdout, "403 project.forbidden -> 200 allowed") {
		t.Errorf("exit code %d, %s", code, stdout)
	}
	code, stdout, _ = runPolicy(t, "diff", "--json", "embedded", policytest.Example(t))
	var changes []verify.Change
	if err := json.Unmarshal([]byte(stdout), &changes); err != nil || code != exitError || len(changes) == 0 || changes[0].Owner == "" {
		t.Errorf("exit code %d, %v, %+v", code, err, changes)
	}
}

func TestPolicyFormatLeavesNothingToFormat(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.rego")
	if err := os.WriteFile(path, []byte("package x\nrule   if {\n input.action == \"status\" }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := runPolicy(t, "format", dir); code != exitOK || stdout != "x.rego\n" {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
	if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), "rule if {\n\tinput.action") {
		t.Errorf("%v, %s", err, text)
	}
	if code, stdout, stderr := runPolicy(t, "format", dir); code != exitOK || stdout != "" {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
}

func TestPolicyTableIsWrittenWhereVerifyReadsIt(t *testing.T) {
	dir := policytest.Example(t)
	path := filepath.Join(dir, filepath.FromSlash(verify.TableFile))
	shipped, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := runPolicy(t, "table", dir, "--write"); code != exitOK {
		t.Fatal(stderr)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(shipped) {
		if !bytes.Contains(got, line) {
			t.Errorf("the table lacks %s", line)
		}
	}
	if !bytes.Contains(got, []byte("user-2 readers=user-10\t")) {
		t.Error("the table that was written is not that of the policy with the projects of the example")
	}
	if code, stdout, _ := runPolicy(t, "table", dir); code != exitOK || stdout != string(got) {
		t.Errorf("exit code %d, and another table on standard output", code)
	}
}

func TestPolicyReplayCountsSinceATimeAndComparesWithAPolicy(t *testing.T) {
	log := recorded(t, embeddedPolicy)
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--since", "2026-11-20T12:00:01Z"}, exitOK, "0 decisions in"},
		{[]string{"--since", "2026-11-20T11:59:59Z"}, exitError, "2 decisions in"},
		{[]string{"--against", policytest.Example(t)}, exitOK, "2 decisions in"},
		{[]string{"--since", "yesterday"}, exitUsage, ""},
	} {
		code, stdout, stderr := runPolicy(t, append([]string{"replay", "--log", log, "--policy", policytest.Example(t)}, tt.args...)...)
		if code != tt.code || !strings.Contains(stdout, tt.says) {
			t.Errorf("%s: exit code %d, %s%s", tt.args, code, stdout, stderr)
		}
	}
}

func TestPolicyReplayExitsWith1OnChangesThatAreNotExpected(t *testing.T) {
	log := recorded(t, embeddedPolicy)
	if code, stdout, stderr := runPolicy(t, "replay", "--log", log, "--policy", "embedded"); code != exitOK ||
		!strings.Contains(stdout, "2 decisions in") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
	const change = "status: 403 project.forbidden -> 200 allowed"
	code, stdout, _ := runPolicy(t, "replay", "--log", log, "--policy", policytest.Example(t))
	if code != exitError || !strings.Contains(stdout, "1 decision: "+change+" (for example d-1)") {
		t.Errorf("exit code %d, %s", code, stdout)
	}
	expect := filepath.Join(t.TempDir(), "expected")
	if err := os.WriteFile(expect, []byte(change+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := runPolicy(t, "replay", "--log", log, "--policy", policytest.Example(t), "--expect", expect, "--json")
	var report struct{ Changes []struct{ Expected bool } }
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || code != exitOK || len(report.Changes) != 1 || !report.Changes[0].Expected {
		t.Errorf("exit code %d, %v, %s%s", code, err, stdout, stderr)
	}
}

func TestPolicyExplainShowsDecisionRulesAndTrace(t *testing.T) {
	log := recorded(t, embeddedPolicy)
	code, stdout, stderr := runPolicy(t, "explain", "d-1", "--log", log, "--policy", policytest.Example(t))
	if code != exitOK {
		t.Fatal(stderr)
	}
	for _, want := range []string{
		"recorded: 403 project.forbidden", "now:      200 allowed", "decided by policy ", "+ data.svc.project.role", "trace:\n", "Enter",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the output lacks %q:\n%s", want, stdout)
		}
	}
	code, stdout, _ = runPolicy(t, "explain", "d-1", "--log", log, "--json")
	var x struct{ Decision policy.Decision }
	if err := json.Unmarshal([]byte(stdout), &x); err != nil || code != exitOK || x.Decision.Rule != "project.forbidden" {
		t.Errorf("exit code %d, %v, %+v", code, err, x)
	}
	if code, _, stderr := runPolicy(t, "explain", "d-9", "--log", log); code != exitError || !strings.Contains(stderr, "d-9") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

// TestPolicyCommandsSayWhatTheLedgerRefused: the policy explains what it says on those
// facts, and replay leaves it out.
func TestPolicyCommandsSayWhatTheLedgerRefused(t *testing.T) {
	path := recorded(t, embeddedPolicy)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.ReplaceAll(text, []byte(decisionlog.Path), []byte(decisionlog.LedgerPath))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := runPolicy(t, "explain", "d-1", "--log", path)
	if code != exitOK || !strings.Contains(stdout, "refused by the ledger") {
		t.Errorf("explain: exit code %d, %s%s", code, stdout, stderr)
	}
	code, stdout, stderr = runPolicy(t, "replay", "--log", path, "--policy", "embedded")
	if code != exitOK || !strings.Contains(stdout, "left out: the ledger's") || !strings.Contains(stdout, "0 decisions in") {
		t.Errorf("replay: exit code %d, %s%s", code, stdout, stderr)
	}
}

func TestPolicyCommandsRefuseWhatTheyCanNotRead(t *testing.T) {
	for _, args := range [][]string{
		{"verify", "no-such-directory"}, {"test", "policy_test.go"}, {"diff", "embedded", "no-such-directory"},
		{"format", "no-such-directory"}, {"replay", "--log", "no-such-file", "--policy", "embedded"},
		{"replay", "--log", "policy_test.go", "--policy", "embedded", "--expect", "no-such-file"},
	} {
		if code, _, stderr := runPolicy(t, args...); code != exitError || stderr == "" {
			t.Errorf("%v: exit code %d, %s", args, code, stderr)
		}
	}
	for _, args := range [][]string{{"replay"}, {"explain"}, {"diff", "embedded"}} {
		if code, _, _ := runPolicy(t, args...); code != exitUsage {
			t.Errorf("%v: exit code %d, want %d", args, code, exitUsage)
		}
	}
}
