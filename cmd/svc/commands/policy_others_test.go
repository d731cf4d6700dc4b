package commands

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/policy/verify"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/sidecar/host"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/test/wait"
)

// TestDecisionsOfAllSidecarsAreShownExplainedAndMadeAgain has two on one PostgreSQL. The
// second decides; the commands are run beside the first, that no gateway asks.
func TestDecisionsOfAllSidecarsAreShownExplainedAndMadeAgain(t *testing.T) {
	database := postgrestest.URL(t)
	open := func() (*host.Host, string) {
		t.Helper()
		dir, err := os.MkdirTemp("", "svc") // t.TempDir may be too long for a socket
		if err != nil {
			t.Fatal(err)
		}
		h, err := host.Open(t.Context(), host.Options{
			DataDir: dir, Store: database, Admin: host.Standard(), Policy: activation.Options{Threshold: 2},
			DecisionLog: &decisionlog.Options{Path: filepath.Join(dir, decisionlog.FileName), Sample: 1},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			for _, err := range []error{h.Close(), os.RemoveAll(dir)} {
				if err != nil {
					t.Error(err)
				}
			}
		})
		return h, dir
	}
	quiet, dir := open()
	busy, _ := open()
	wait.Until(t, "both are listed", func() bool { return len(quiet.Policy.Status().Sidecars) == 2 })
	in := verify.Poll()
	in.Project.OwnerID, in.Project.Attributes = "user-2", map[string]string{"readers": in.Key.UserID}
	for range 3 {
		if d, err := busy.Policy.Decide(t.Context(), in); err != nil || d.Allow {
			t.Fatalf("%+v, %v", d, err)
		}
	}
	run := func(args ...string) (int, string, string) { return runPolicy(t, append(args, "--data-dir", dir)...) }
	var s decisionlog.Selection
	wait.Until(t, "the other one's decisions are in the log", func() bool {
		code, out, stderr := run("log", "--who", in.Key.ID, "--refused", "--last", "2", "--json")
		if code != exitOK || stderr != "" || json.Unmarshal([]byte(out), &s) != nil {
			t.Fatalf("exit code %d, %s%s", code, out, stderr)
		}
		return s.Matched == 3
	})
	if len(s.Records) != 2 || s.Decisions != 3 {
		t.Errorf("the last 2 of 3 are %+v", s)
	}
	code, out, stderr := run("explain", s.Records[0].DecisionID)
	if code != exitOK || stderr != "" || !strings.Contains(out, "recorded: 403 project.forbidden") || strings.Contains(out, "explained by") {
		t.Errorf("explain: exit code %d, %s%s", code, stderr, out)
	}
	code, out, stderr = run("replay", "--policy", policytest.Example(t))
	if code != exitError || !strings.Contains(out, "3 decisions: status: 403 project.forbidden -> 200 allowed") {
		t.Errorf("replay: exit code %d, %s%s", code, stderr, out)
	}
	if code, out, stderr = run("activate", policytest.Example(t)); code != exitError || !strings.Contains(out, "of the decisions of the last hour change 3:") {
		t.Errorf("activate, not agreed to: exit code %d, %s%s", code, stderr, out)
	}
	if code, out, stderr = run("activate", policytest.Example(t), "--yes"); code != exitError || !strings.Contains(stderr, "waits") {
		t.Errorf("activate: exit code %d, %s%s", code, stderr, out)
	}
	if w := quiet.Policy.Status().Waiting; w == nil || w.Held.Changed != 3 {
		t.Errorf("it waits: %+v", w)
	}
	if code, _, stderr = run("explain", "none"); code != exitError || !strings.Contains(stderr, "no such decision") {
		t.Errorf("of none: exit code %d, %s", code, stderr)
	}
}
