package commands

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/policy/verify"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/test/wait"
)

// policy runs svc policy on the service's data directory.
func (s *adminService) policy(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return runPolicy(t, append(args, "--data-dir", s.dir)...)
}

// mustPolicy runs svc policy, which must succeed, and returns its output.
func (s *adminService) mustPolicy(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := s.policy(t, args...)
	if code != exitOK {
		t.Fatalf("svc policy %v: exit code %d, %s", args, code, stderr)
	}
	return stdout
}

func TestPolicyOfARunningServiceIsTriedActivatedAndTakenBack(t *testing.T) {
	s := startAdminService(t)
	if out := s.mustPolicy(t, "status"); !strings.Contains(out, "state      ok") || !strings.Contains(out, "embedded") {
		t.Errorf("status:\n%s", out)
	}
	if code, out, _ := s.policy(t, "diff", "active", policytest.Example(t)); code != exitError || !strings.Contains(out, "403 project.forbidden -> 200 allowed") {
		t.Errorf("diff: exit code %d, %s", code, out)
	}
	if out := s.mustPolicy(t, "shadow", policytest.Example(t), "--sample", "0.5"); !strings.Contains(out, "in shadow: ") {
		t.Errorf("shadow: %s", out)
	}
	if out := s.mustPolicy(t, "shadow", "--report"); !strings.Contains(out, "0 decisions compared") || !strings.Contains(out, "no decision would change") {
		t.Errorf("report: %s", out)
	}
	if out := s.mustPolicy(t, "status"); !strings.Contains(out, "0.5 of the decisions") {
		t.Errorf("status:\n%s", out)
	}
	var report activation.Report
	if err := json.Unmarshal([]byte(s.mustPolicy(t, "shadow", "--off", "--json")), &report); err != nil || report.Sample != 0.5 {
		t.Errorf("last report %+v, %v", report, err)
	}
	if code, _, stderr := s.policy(t, "shadow", "--report"); code != exitError || !strings.Contains(stderr, "no policy is in shadow") {
		t.Errorf("report: exit code %d, %s", code, stderr)
	}
	if out := s.mustPolicy(t, "activate", policytest.Example(t), "--yes"); !strings.Contains(out, "generation 2") {
		t.Errorf("activate: %s", out)
	}
	var status activation.Status
	if err := json.Unmarshal([]byte(s.mustPolicy(t, "status", "--json")), &status); err != nil || len(status.Generations) != 2 || status.Active.Number != 2 {
		t.Errorf("status %+v, %v", status, err)
	}
	if out := s.mustPolicy(t, "rollback", "--yes"); !strings.Contains(out, "generation 1") {
		t.Errorf("rollback: %s", out)
	}
	if code, _, stderr := s.policy(t, "rollback", "0123456789"); code != exitError || !strings.Contains(stderr, "svc policy status") {
		t.Errorf("rollback: exit code %d, %s", code, stderr)
	}
	if code, _, stderr := s.policy(t, "activate", brokenPolicy(t)); code != exitError || !strings.Contains(stderr, "x.rego:4") {
		t.Errorf("activate: exit code %d, %s", code, stderr)
	}
}

func TestBundlesAreSignedAndReadAgain(t *testing.T) {
	s := startAdminService(t)
	dir := t.TempDir()
	key, file := filepath.Join(dir, "reviewer"), filepath.Join(dir, "policy.tar.gz")
	s.mustPolicy(t, "key", key)
	if code, _, _ := s.policy(t, "key", key); code != exitError {
		t.Error("a key was written over")
	}
	if info, err := os.Stat(key + ".pem"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("private key %v, %v", info.Mode(), err)
	}
	var made bundled
	if err := json.Unmarshal([]byte(s.mustPolicy(t, "bundle", policytest.Example(t), "-o", file, "--key", key+".pem", "--sequence", "7", "--json")), &made); err != nil ||
		!made.Signed || made.Sequence != 7 || made.Revision == "" {
		t.Errorf("bundle %+v, %v", made, err)
	}
	files, err := readBundle(file)
	if err != nil {
		t.Fatal(err)
	}
	trusted, err := bundle.ReadKeys(key + ".pub.pem")
	if err != nil {
		t.Fatal(err)
	}
	if err := files.Verify(trusted); err != nil {
		t.Error(err)
	}
	if out := s.mustPolicy(t, "diff", policytest.Example(t), file); out != "" {
		t.Errorf("the bundle decides otherwise than its directory: %s", out)
	}
	if out := s.mustPolicy(t, "bundle", policytest.Example(t), "-o", file); !strings.Contains(out, "not signed") {
		t.Errorf("bundle: %s", out)
	}
	policy := filepath.Join(dir, "policy")
	if err := os.CopyFS(policy, os.DirFS(policytest.Example(t))); err != nil {
		t.Fatal(err)
	}
	s.mustPolicy(t, "sign", policy, "--key", key+".pem")
	signed, err := bundle.ReadDir(os.DirFS(policy))
	if err != nil {
		t.Fatal(err)
	}
	if err := signed.Verify(trusted); err != nil {
		t.Error(err)
	}
	// This service has no key: what someone signed is not taken unchecked.
	if code, _, stderr := s.policy(t, "activate", policy, "--yes"); code != exitError || !strings.Contains(stderr, "SVC_POLICY_KEY") {
		t.Errorf("activate: exit code %d, %s", code, stderr)
	}
	for _, args := range [][]string{
		{"bundle", policytest.Example(t), "-o", file, "--key", key + ".pub.pem"}, {"bundle", brokenPolicy(t), "-o", file},
		{"bundle", policytest.Example(t), "-o", file, "--sequence", "-1"}, {"sign", policy, "--key", "no-such-file"},
		{"bundle", policytest.Example(t), "-o", filepath.Join(dir, "no", "such", "folder.tar.gz")},
	} {
		if code, _, stderr := s.policy(t, args...); code != exitError || stderr == "" {
			t.Errorf("%v: exit code %d, %s", args, code, stderr)
		}
	}
	for _, args := range [][]string{{"shadow"}, {"shadow", "x", "--off"}, {"bundle", "x"}, {"sign", "x"}, {"key"}} {
		if code, _, _ := s.policy(t, args...); code != exitUsage {
			t.Errorf("%v: exit code %d, want %d", args, code, exitUsage)
		}
	}
}

func TestABundleTakesThePlaceOfTheOneOfItsNameInOneStep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.tar.gz")
	if code, _, stderr := runPolicy(t, "bundle", "embedded", "-o", path, "--sequence", "1"); code != exitOK {
		t.Fatal(stderr)
	}
	before, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	if code, _, stderr := runPolicy(t, "bundle", "embedded", "-o", path, "--sequence", "2"); code != exitOK {
		t.Fatal(stderr)
	}
	// Whoever reads the old one reads it to its end.
	files, err := bundle.ReadArchive(before)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := files.Manifest(); err != nil || m.Metadata.Sequence != 1 {
		t.Errorf("the old bundle became %+v, %v", m, err)
	}
	if left, err := filepath.Glob(path + "?*"); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestNoHalfOfAKeyIsLeftBehind(t *testing.T) {
	name := filepath.Join(t.TempDir(), "reviewer")
	write(t, name+".pub.pem", "another key")
	code, _, stderr := runPolicy(t, "key", name)
	if code != exitError || !strings.Contains(stderr, "reviewer.pub.pem exists and is not overwritten") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if _, err := os.Stat(name + ".pem"); err == nil {
		t.Error("the private half is there, and fits no public one")
	}
}

func TestAdviceStandsOnceWhereNoSuchPolicyIsKept(t *testing.T) {
	s := startAdminService(t)
	if _, _, stderr := s.policy(t, "rollback", "0123456789"); strings.Count(stderr, "svc policy status") != 1 {
		t.Errorf("says %q", stderr)
	}
	if _, _, stderr := s.policy(t, "rollback"); !strings.Contains(stderr, "none before the active one") {
		t.Errorf("says %q", stderr)
	}
}

func TestADecisionIsExplainedByThePolicyThatMadeIt(t *testing.T) {
	s := startAdminService(t)
	s.mustPolicy(t, "activate", policytest.Example(t), "--yes")
	// The log is where the service would keep it.
	text, err := os.ReadFile(recorded(t, policytest.Example(t)))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "decisions.jsonl"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	out := s.mustPolicy(t, "explain", "d-1")
	if !strings.Contains(out, "recorded: 200 allowed") || !strings.Contains(out, "now:      200 allowed") || strings.Contains(out, "explained by") {
		t.Errorf("explain:\n%s", out)
	}
	if code, out, _ := s.policy(t, "replay", "--policy", "embedded"); code != exitError || !strings.Contains(out, "200 allowed -> 403 project.forbidden") {
		t.Errorf("replay: exit code %d, %s", code, out)
	}
	if out := s.mustPolicy(t, "replay", "--policy", "active"); !strings.Contains(out, "2 decisions in") {
		t.Errorf("replay: %s", out)
	}
}

func TestPolicyCommandsSayWhenNoServiceRuns(t *testing.T) {
	for _, args := range [][]string{{"status"}, {"rollback"}, {"activate", policytest.Example(t)}, {"shadow", "--report"}, {"diff", "active", policytest.Example(t)}} {
		code, _, stderr := runPolicy(t, append(args, "--data-dir", t.TempDir())...)
		if code != exitError || !strings.Contains(stderr, "make run") {
			t.Errorf("%v: exit code %d, %s", args, code, stderr)
		}
	}
}

func TestAttributesAreShownSetAndRemoved(t *testing.T) {
	s := startAdminService(t)
	if _, err := s.Keys().CreateUser(t.Context(), "test", "alice", 0); err != nil {
		t.Fatal(err)
	}
	p, err := s.CreateProject(t.Context(), "alice", api.ProjectRequest{Name: "duck", Template: api.TemplateBlank})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		args []string
		want string
	}{
		{[]string{"project", "attributes", p.ID, "readers=bob,carol", "team=arcade"}, "readers=bob,carol team=arcade"},
		{[]string{"project", "attributes", p.ID, "team="}, "readers=bob,carol\n"},
		{[]string{"project", "attributes", p.ID}, "readers=bob,carol\n"},
		{[]string{"project", "attributes", p.ID, "--admin", "plan=school", "x=y"}, "readers=bob,carol  plan=school x=y\n"},
		{[]string{"project", "attributes", p.ID, "--admin", "x="}, "readers=bob,carol  plan=school\n"},
		{[]string{"project", "list", "--json"}, `"plan": "school"`},
		{[]string{"project", "list", "--user", "alice"}, p.ID},
		{[]string{"project", "list", "--json"}, `"readers": "bob,carol"`},
	} {
		if code, out, stderr := s.run(step.args...); code != exitOK || !strings.Contains(out, step.want) {
			t.Errorf("%v: exit code %d, %s%s", step.args, code, out, stderr)
		}
	}
	for _, args := range [][]string{
		{"project", "attributes", "000000000000000000000000", "a=b"}, {"project", "attributes", p.ID, "a b=c"},
	} {
		if code, _, stderr := s.run(args...); code != exitError || stderr == "" {
			t.Errorf("%v: exit code %d, %s", args, code, stderr)
		}
	}
}

func TestEveryRefusalOfAKeyThatNobodyHasIsCountedInTheLog(t *testing.T) {
	s := startAdminServiceWith(t, activation.Options{Threshold: 1})
	for range 5 {
		if _, err := s.Authenticate(t.Context(), mint.KeyHash{}); !errors.Is(err, sidecar.ErrUnknownKey) {
			t.Fatal(err)
		}
	}
	wait.Until(t, "all are recorded", func() bool { return strings.Contains(s.mustPolicy(t, "log", "--refused"), "\n5 decisions") })
}

func TestADecisionIsExplainedByThePolicyThatIsKeptWithItsLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "decisions.jsonl")
	e, err := new(localOptions).evaluator(t.Context(), policytest.Example(t))
	if err != nil {
		t.Fatal(err)
	}
	log, err := decisionlog.Open(decisionlog.Options{Path: path, Sample: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range []policy.Input{{Action: policy.ActionListProjects, Key: verify.Poll().Key}, verify.Poll(), {Action: policy.ActionFiles}} {
		d, err := e.Decide(t.Context(), in)
		if err := log.Add(decisionlog.Entry{At: time.Now(), Input: in, Evaluator: e, Decision: d, Err: err, RequestID: "r-1", ProjectID: "p-1"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	// No service runs.
	code, out, stderr := runPolicy(t, "explain", "r-1", "--log", path)
	if code != exitOK || strings.Count(out, "  r-1\n") != 3 || !strings.Contains(out, "recorded: 401 key.invalid") || strings.Contains(out, "explained by") {
		t.Errorf("exit code %d, %s%s", code, stderr, out)
	}
	code, out, stderr = runPolicy(t, "log", "--log", path, "--refused", "--since", "1h")
	if code != exitOK || !strings.Contains(out, "401     key.invalid  files") || !strings.Contains(out, "p-1") || !strings.Contains(out, "1 decision\n") {
		t.Errorf("exit code %d, %s%s", code, stderr, out)
	}
	if code, out, _ = runPolicy(t, "log", "--log", path, "--last", "1"); code != exitOK || !strings.Contains(out, "3 decisions, of 3 records the last 1 are shown") {
		t.Errorf("exit code %d, %s", code, out)
	}
	var s decisionlog.Selection
	if code, out, _ = runPolicy(t, "log", "--log", path, "--status", "200", "--json"); json.Unmarshal([]byte(out), &s) != nil || code != exitOK || len(s.Records) != 2 {
		t.Errorf("exit code %d, %s", code, out)
	}
	asked := decisionlog.Entry{At: time.Now(), Input: verify.Poll(), Evaluator: e, Path: decisionlog.AskedPath, Repeats: true}
	if asked.Decision, asked.Err = e.Decide(t.Context(), asked.Input); asked.Err != nil {
		t.Fatal(asked.Err)
	}
	if log, err = decisionlog.Open(decisionlog.Options{Path: path, Sample: 1}); err != nil {
		t.Fatal(err)
	}
	id, err := log.AddNamed(asked)
	if err := errors.Join(err, log.Close()); err != nil {
		t.Fatal(err)
	}
	code, out, stderr = runPolicy(t, "explain", id, "--log", path)
	if code != exitOK || !strings.Contains(out, "decision "+id) || !strings.Contains(out, "on facts that are the asker's") || !strings.Contains(out, "now:      200 ") {
		t.Errorf("a decision that was asked for: exit code %d, %s%s", code, stderr, out)
	}
	if _, out, _ = runPolicy(t, "log", "--log", path, "--last", "1"); !strings.Contains(out, "status (asked)") {
		t.Errorf("it is not marked:\n%s", out)
	}
	for _, args := range [][]string{{"--last", "-1"}, {"--since", "soon"}, {"--until", "soon"}} {
		if code, _, _ := runPolicy(t, append([]string{"log", "--log", path}, args...)...); code != exitUsage {
			t.Errorf("%s: exit code %d", args, code)
		}
	}
}
