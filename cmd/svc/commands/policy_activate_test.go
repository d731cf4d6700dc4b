package commands

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/policy/verify"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/test/wait"
)

// activate runs svc policy activate with what stands in standard input.
func (s *adminService) activate(t *testing.T, input string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	args = append([]string{"policy", "activate", "--data-dir", s.dir}, args...)
	code = Execute(args, strings.NewReader(input), &out, &errs)
	return code, out.String(), errs.String()
}

func TestWhatChangesTooMuchWaitsForAnApproval(t *testing.T) {
	s := startAdminServiceWith(t, activation.Options{Threshold: 1})
	in := verify.Poll()
	in.Project.OwnerID, in.Project.Attributes = "user-2", map[string]string{"readers": "user-1"}
	for range 2 {
		if d, err := s.engine.Decide(t.Context(), in); err != nil || d.Allow {
			t.Fatalf("%+v, %v", d, err)
		}
	}
	wait.Until(t, "both decisions are recorded", func() bool {
		return strings.Contains(s.mustPolicy(t, "log"), "2 decisions")
	})
	code, out, errs := s.activate(t, "", policytest.Example(t), "--yes")
	if code != exitError || !strings.Contains(out, "waiting: ") || !strings.Contains(errs, "not active yet") {
		t.Fatalf("exit code %d, %s%s", code, errs, out)
	}
	if out := s.mustPolicy(t, "status"); !strings.Contains(out, "it changes 2 of 2 decisions of the last hour; see svc policy approve") {
		t.Errorf("status:\n%s", out)
	}
	if code, _, errs := s.policy(t, "approve", "000000", "--yes"); code != exitError || !strings.Contains(errs, "the waiting policy is ") {
		t.Errorf("another: exit code %d, %s", code, errs)
	}
	if code, out, errs := s.policy(t, "approve"); code != exitError || !strings.Contains(out, "403 project.forbidden -> 200 allowed") || !strings.Contains(errs, "--yes") {
		t.Errorf("without a yes: exit code %d, %s%s", code, errs, out)
	}
	if out := s.mustPolicy(t, "approve", "--yes"); !strings.Contains(out, "active: ") {
		t.Errorf("approve: %s", out)
	}
	if code, _, errs := s.policy(t, "approve", "--yes"); code != exitError || !strings.Contains(errs, "no policy is waiting") {
		t.Errorf("twice: exit code %d, %s", code, errs)
	}
	if _, err := (&localOptions{dataDir: s.dir}).client().RollBackPolicy(t.Context(), "", ""); err != nil {
		t.Fatal(err)
	}
	if code, _, _ := s.policy(t, "activate", policytest.Example(t), "--yes"); code != exitError {
		t.Fatal("it does not wait again")
	}
	if out := s.mustPolicy(t, "approve", "--refuse"); !strings.Contains(out, "refused: ") {
		t.Errorf("refuse: %s", out)
	}
	audit := s.must(t, "audit")
	for _, action := range []string{"policy.propose", "policy.approve", "policy.rollback", "policy.refuse"} {
		if !strings.Contains(audit, action) {
			t.Errorf("the audit log lacks %s:\n%s", action, audit)
		}
	}
	if strings.Contains(audit, "policy.activate") {
		t.Errorf("the audit log says that what waits was activated:\n%s", audit)
	}
}

func TestAnActivationThatIsAgreedToNeedsNoComparison(t *testing.T) {
	s := startAdminService(t)
	line := strings.Repeat("x", 1<<20) + "\n" // of no record
	if err := os.WriteFile(filepath.Join(s.dir, "decisions.jsonl"), []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := s.activate(t, "y\n", policytest.Example(t)); code != exitError || !strings.Contains(errs, "can't be shown; --yes activates without them") || strings.Contains(errs, "[y/N]") {
		t.Errorf("exit code %d, %s%s", code, errs, out)
	}
	if code, out, errs := s.activate(t, "", policytest.Example(t), "--yes"); code != exitOK || !strings.Contains(out, "generation 2") || !strings.Contains(errs, "can't be shown: ") {
		t.Errorf("with --yes: exit code %d, %s%s", code, errs, out)
	}
	if code, out, errs := s.activate(t, "", brokenPolicy(t), "--yes"); code != exitError || !strings.Contains(errs, "x.rego:4") {
		t.Errorf("of a policy that is none: exit code %d, %s%s", code, errs, out)
	}
}

func TestAnActivationShowsWhatItChangesAndAsks(t *testing.T) {
	s := startAdminService(t)
	// The log is where the service would keep it: of the two decisions one is of the last hour.
	text, err := os.ReadFile(recorded(t, embeddedPolicy))
	if err != nil {
		t.Fatal(err)
	}
	old, now := `"d-1","timestamp":"2026-11-20T12:00:00Z"`, `"d-1","timestamp":"`+time.Now().UTC().Format(time.RFC3339)+`"`
	if err := os.WriteFile(filepath.Join(s.dir, "decisions.jsonl"), []byte(strings.Replace(string(text), old, now, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	const row, group = "403 project.forbidden -> 200 allowed", "of the decisions of the last hour change 1:\n1 decision: status: 403 project.forbidden -> 200 allowed"
	for _, no := range []string{"", "n\n"} {
		code, out, errs := s.activate(t, no, policytest.Example(t))
		if code != exitError || !strings.Contains(out, row) || !strings.Contains(out, group) || !strings.Contains(errs, "activate it? [y/N]") || !strings.Contains(errs, "--yes") {
			t.Fatalf("answered %q: exit code %d, %s%s", no, code, errs, out)
		}
	}
	var status activation.Status
	if err := json.Unmarshal([]byte(s.mustPolicy(t, "status", "--json")), &status); err != nil || status.Active.Number != 1 {
		t.Fatalf("without a yes: %+v, %v", status, err)
	}
	if code, out, errs := s.activate(t, "y\n", policytest.Example(t)); code != exitOK || !strings.Contains(out, "generation 2") {
		t.Errorf("exit code %d, %s%s", code, errs, out)
	}
	if code, out, errs := s.activate(t, "", policytest.Example(t)); code != exitOK || !strings.Contains(out, "no decision of the table changes") || strings.Contains(errs, "[y/N]") {
		t.Errorf("where nothing changes: exit code %d, %s%s", code, errs, out)
	}
	code, out, errs := s.activate(t, "", embeddedPolicy, "--yes", "--json")
	var info activation.Info
	if json.Unmarshal([]byte(out), &info) != nil || code != exitOK || info.Number == 0 || !strings.Contains(errs, "200 allowed -> 403 project.forbidden") || strings.Contains(errs, "[y/N]") {
		t.Errorf("exit code %d, %s%s", code, errs, out)
	}
}

// TestARollbackShowsWhatItChangesAndAsks: two people who roll back at once go back once.
func TestARollbackShowsWhatItChangesAndAsks(t *testing.T) {
	s := startAdminService(t)
	if code, _, errs := s.policy(t, "rollback", "--yes"); code != exitError || !strings.Contains(errs, "none before the active one") {
		t.Errorf("with nothing before: exit code %d, %s", code, errs)
	}
	for _, dir := range []string{policytest.Example(t), policytest.ExampleOf(t, "suspended")} {
		files, err := bundle.ReadDir(os.DirFS(dir))
		if err == nil {
			_, err = s.engine.Activate(t.Context(), activation.Request{Files: files, Source: dir, Actor: "uid:7"})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var shown activation.Status
	if err := json.Unmarshal([]byte(s.mustPolicy(t, "status", "--json")), &shown); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := s.policy(t, "rollback"); code != exitError || !strings.Contains(out, "200 allowed") || !strings.Contains(errs, "not rolled back: read the changes") {
		t.Errorf("without a yes: exit code %d, %s%s", code, errs, out)
	}
	if out := s.mustPolicy(t, "rollback", "--yes"); !strings.Contains(out, "200 allowed") || !strings.Contains(out, "generation 2") {
		t.Errorf("with a yes: %s", out)
	}
	// The other one was shown what was active before that.
	_, err := (&localOptions{dataDir: s.dir}).client().RollBackPolicy(t.Context(), "", shown.Active.Revision)
	if err == nil || !strings.Contains(err.Error(), "look again") {
		t.Errorf("of another policy: %v", err)
	}
}

// TestWhatTheServiceCountedIsSaidOfWhatIsActive: the command may not have its decision log.
func TestWhatTheServiceCountedIsSaidOfWhatIsActive(t *testing.T) {
	s := startAdminServiceWith(t, activation.Options{Threshold: 5})
	in := verify.Poll()
	in.Project.OwnerID, in.Project.Attributes = "user-2", map[string]string{"readers": "user-1"}
	for range 2 {
		if d, err := s.engine.Decide(t.Context(), in); err != nil || d.Allow {
			t.Fatalf("%+v, %v", d, err)
		}
	}
	wait.Until(t, "both decisions are recorded", func() bool {
		return strings.Contains(s.mustPolicy(t, "log"), "2 decisions")
	})
	files, err := bundle.ReadDir(os.DirFS(policytest.Example(t)))
	if err != nil {
		t.Fatal(err)
	}
	info, err := (&localOptions{dataDir: s.dir}).client().ActivatePolicy(t.Context(), files, "readers", "", false)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	printActive(&out, info)
	if !strings.Contains(out.String(), "generation 2: it changes 2 of 2 decisions of the last hour") {
		t.Errorf("it says %s", &out)
	}
	if audit := s.must(t, "audit"); !strings.Contains(audit, "it changes 2 of 2 decisions of the last hour") {
		t.Errorf("the audit log: %s", audit)
	}
}

func TestOnlyAYesIsAYes(t *testing.T) {
	for said, yes := range map[string]bool{"": false, "\n": false, "n\n": false, "yes, but\n": false, "y\n": true, "yes\n": true} {
		c := &cobra.Command{}
		c.SetIn(strings.NewReader(said))
		c.SetErr(io.Discard)
		if confirmed(c, "activate") != yes {
			t.Errorf("%q is a yes: %v", said, !yes)
		}
	}
}

// TestAMaskThatDiffersIsAChange: an activation asks about it, though no decision changes.
func TestAMaskThatDiffersIsAChange(t *testing.T) {
	p := &preview{diff: verify.Difference{Mask: []string{"system/log/mask.rego:3 system.log.mask"}}}
	var out bytes.Buffer
	p.print(&out)
	if p.none() || !strings.Contains(out.String(), "decision log's mask") || !strings.Contains(out.String(), "mask.rego:3 system.log.mask") || strings.Contains(out.String(), "no decision of the table changes") {
		t.Errorf("none %t:\n%s", p.none(), &out)
	}
	if all := entries(p.diff); len(all) != 1 || all[0].Mask == "" {
		t.Errorf("entries %+v", all)
	}
}

// TestATableThatIsNotOfTheRulesIsAChange: reviewers read it, not the rules.
func TestATableThatIsNotOfTheRulesIsAChange(t *testing.T) {
	src, err := bundle.ReadDir(policy.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	e := policytest.Embedded(t).Evaluator
	if _, findings := verify.CheckTable(t.Context(), src, e); len(findings) > 0 {
		t.Errorf("the shipped table: %q", findings)
	}
	src[verify.TableFile] = bytes.Replace(src[verify.TableFile], []byte("allowed"), []byte("project.forbidden"), 1)
	_, findings := verify.CheckTable(t.Context(), src, e)
	p := &preview{table: findings}
	var out bytes.Buffer
	p.print(&out)
	if p.none() || !strings.Contains(out.String(), "is not that of its rules:\n  "+verify.TableFile+":") {
		t.Errorf("none %t:\n%s", p.none(), &out)
	}
}
