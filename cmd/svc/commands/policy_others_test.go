package commands

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/policy/verify"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/sidecar/host"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/test/wait"
)

// two opens two sidecars on one PostgreSQL; dir is the first one's.
func two(t *testing.T) (first, second *host.Host, dir string) {
	t.Helper()
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
	first, dir = open()
	second, _ = open()
	wait.Until(t, "both are listed", func() bool { return len(first.Policy.Status().Sidecars) == 2 })
	return first, second, dir
}

// TestDecisionsOfAllSidecarsAreShownExplainedAndMadeAgain has two on one PostgreSQL. The
// second decides; the commands are run beside the first, that no gateway asks.
func TestDecisionsOfAllSidecarsAreShownExplainedAndMadeAgain(t *testing.T) {
	quiet, busy, dir := two(t)
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
	wait.Until(t, "what waits decides along at both", func() bool { return busy.Policy.Status().Shadow != nil })
	for range 2 {
		if d, err := busy.Policy.Decide(peer.WithRequest(t.Context(), peer.Request{ID: "request-1"}), in); err != nil || d.Allow {
			t.Fatalf("%+v, %v", d, err)
		}
	}
	wait.Until(t, "the other one's are in the report of what waits", func() bool {
		code, out, stderr := run("shadow", "--report")
		if code != exitOK {
			t.Fatalf("exit code %d, %s%s", code, out, stderr)
		}
		return strings.Contains(out, "2 decisions compared at 2 sidecars") && strings.Contains(out, "would change: 2 decisions: status: 403")
	})
	wait.Until(t, "the other one's are in the trace", func() bool {
		code, out, _ := svc("trace", "--data-dir", dir, "--json", "request-1")
		var found traced
		return code == exitOK && json.Unmarshal([]byte(out), &found) == nil && len(found.Decisions) == 2
	})
	if code, _, stderr = run("explain", "none"); code != exitError || !strings.Contains(stderr, "no such decision") {
		t.Errorf("of none: exit code %d, %s", code, stderr)
	}
}
