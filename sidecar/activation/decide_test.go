package activation_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/policy/verify"
	"github.com/svc-games/svc/sidecar/activation"
)

func TestDecisionsAreRecordedUnderTheRevisionThatMadeThem(t *testing.T) {
	path := filepath.Join(t.TempDir(), decisionlog.FileName)
	log, err := decisionlog.Open(decisionlog.Options{Path: path, Sample: 1})
	if err != nil {
		t.Fatal(err)
	}
	f := open(t, activation.Options{Log: log})
	var revisions []string
	for _, next := range []bundle.Snapshot{nil, readers(t), files(t)} {
		if next != nil {
			if _, err := f.activate(t, next); err != nil {
				t.Fatal(err)
			}
		}
		revisions = append(revisions, f.Revision())
		f.mayRead(t)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Decide(ctx, verify.Poll()); !errors.Is(err, policy.ErrNoDecision) {
		t.Errorf("got %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	statuses, n := []int{403, 200, 403, 0}, 0
	for line, err := range decisionlog.Lines(file) {
		if err != nil || n == len(statuses) {
			t.Fatalf("record %d, want %d: %v", n, len(statuses), err)
		}
		r, err := decisionlog.Decode(line.Text)
		if err != nil {
			t.Fatal(err)
		}
		switch want := statuses[n]; {
		case want == 0:
			if r.Result != nil || r.Error == nil {
				t.Errorf("record of no decision: %s", line.Text)
			}
		case r.Result == nil || r.Result.Status != want || r.Revision() != revisions[n] || r.Input.Project.Attributes["readers"] != "user-1":
			t.Errorf("record %d: %s", n, line.Text)
		}
		n++
	}
	if n != len(statuses) {
		t.Errorf("%d records, want %d", n, len(statuses))
	}
}

func TestARecordNamesItsRequestAndAProjectThatIsNotThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), decisionlog.FileName)
	log, err := decisionlog.Open(decisionlog.Options{Path: path, Sample: 1})
	if err != nil {
		t.Fatal(err)
	}
	f := open(t, activation.Options{Log: log})
	ctx := peer.WithRequest(t.Context(), peer.Request{ID: "r-1"})
	in := verify.Poll()
	in.Project = nil
	if _, err := f.Decide(decisionlog.WithProject(ctx, "p-gone"), in); err != nil {
		t.Fatal(err)
	}
	unknown := policy.Input{Action: policy.ActionAuthenticate}
	d, err := f.Decide(ctx, unknown)
	if err != nil {
		t.Fatal(err)
	}
	for range 29 {
		if err := f.Note(ctx, decisionlog.Entry{Input: unknown, Decision: d, Repeats: true}); err != nil {
			t.Fatal(err)
		}
	}
	of := verify.Submission()
	refused := decisionlog.Entry{Path: decisionlog.LedgerPath, Input: of, Decision: policy.Decision{Status: 429, Rule: "ledger.jobsPerDay"}}
	if err := f.Note(peer.WithRequest(t.Context(), peer.Request{ID: "r-2"}), refused); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	all, err := decisionlog.OpenAll(path)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	s, err := decisionlog.Select(all, decisionlog.Filter{RequestID: "r-1", Refused: true}, 0)
	if err != nil || len(s.Records) != 22 || s.Records[0].Project() != "p-gone" || s.Records[21].Count != 10 || s.Decisions != 31 {
		t.Errorf("got %+v, %v", s, err)
	}
	refusals, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err = decisionlog.Select(bytes.NewReader(refusals), decisionlog.Filter{Rule: "ledger.jobsPerDay", Status: 429, RequestID: "r-2", Who: of.Key.ID}, 0)
	if err != nil || len(s.Records) != 1 || s.Records[0].Path != decisionlog.LedgerPath || s.Records[0].Revision() != f.Revision() {
		t.Errorf("of the ledger: %+v, %v", s, err)
	}
	if files, err := decisionlog.Policy(path, f.Revision()); err != nil || len(files) == 0 {
		t.Errorf("the policy that decided is not kept with the log: %v", err)
	}
}

// TestWhatIsAskedForIsRecordedApart: under the id that the asker is told, and not as what a
// client did.
func TestWhatIsAskedForIsRecordedApart(t *testing.T) {
	path := filepath.Join(t.TempDir(), decisionlog.FileName)
	log, err := decisionlog.Open(decisionlog.Options{Path: path, Sample: 1})
	if err != nil {
		t.Fatal(err)
	}
	f := open(t, activation.Options{Log: log})
	id, err := f.Asked(decisionlog.Entry{At: time.Now(), Input: verify.Poll(), Evaluator: f.Active().Evaluator, Decision: policy.Decision{Status: 403, Rule: "r"}})
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if found, err := decisionlog.Find(file, id); id == "" || err != nil || len(found) != 1 || found[0].Path != decisionlog.AskedPath {
		t.Errorf("%q: %+v, %v", id, found, err)
	}
	if id, err := open(t, activation.Options{}).Asked(decisionlog.Entry{At: time.Now()}); id != "" || err != nil {
		t.Errorf("without a log: %q, %v", id, err)
	}
}

func TestWhatARequiredLogCanNotRecordIsNotDecided(t *testing.T) {
	path := filepath.Join(t.TempDir(), decisionlog.FileName)
	if err := os.Symlink("/dev/full", path); err != nil {
		t.Fatal(err)
	}
	log, err := decisionlog.Open(decisionlog.Options{Path: path, Mode: decisionlog.Required, Sample: 1})
	if err != nil {
		t.Fatal(err)
	}
	f := open(t, activation.Options{Log: log})
	decide := func() error {
		d, err := f.Decide(t.Context(), verify.Poll())
		if err != nil && (d.Allow || !errors.Is(err, decisionlog.ErrNotRecorded)) {
			t.Fatalf("got %+v, %v", d, err)
		}
		return err
	}
	f.until(t, "decisions are refused", func(activation.Status) bool { return decide() != nil })
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	f.until(t, "decisions are made again", func(activation.Status) bool { return decide() == nil })
}

func TestEngineDecidesWithinTheCallersTime(t *testing.T) {
	slow := files(t)
	slow["svc/authz/authz.rego"] = append(slow["svc/authz/authz.rego"], `
slow if {
	some i in numbers.range(1, 5000)
	some j in numbers.range(1, 5000)
	i * j == -1
}
`...)
	edit(t, slow, "svc/authz/authz.rego", "	input.action in {\"authenticate\", \"projects.create\", \"projects.list\", \"models.list\", \"jobs.list\"}\n",
		"	input.action in {\"authenticate\", \"projects.create\", \"projects.list\", \"models.list\", \"jobs.list\"}\n	not slow_for_teams\n")
	slow["svc/authz/authz.rego"] = append(slow["svc/authz/authz.rego"], `
slow_for_teams if {
	input.project.attributes.team
	slow
}
`...)
	f := open(t, activation.Options{})
	if _, err := f.activate(t, slow); err != nil {
		t.Fatal(err)
	}
	in := verify.Poll()
	in.Action = policy.ActionListProjects
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if d, err := f.Decide(ctx, in); !errors.Is(err, context.DeadlineExceeded) || d.Allow {
		t.Errorf("got %+v, %v", d, err)
	}
}
