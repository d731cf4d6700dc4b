package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/policy/verify"
)

func evaluator(tb testing.TB, src fs.FS) *policy.Evaluator {
	tb.Helper()
	e, err := policy.NewEvaluator(src)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// lenient is the embedded policy with revoked keys taken for live ones.
func lenient(tb testing.TB) *policy.Evaluator {
	tb.Helper()
	src := fstest.MapFS{}
	paths, err := policy.Files(policy.Embedded(), false)
	if err != nil {
		tb.Fatal(err)
	}
	for _, path := range paths {
		text, err := fs.ReadFile(policy.Embedded(), path)
		if err != nil {
			tb.Fatal(err)
		}
		changed := strings.Replace(string(text), `input.key.state == "active"`, `input.key.state in {"active", "revoked"}`, 1)
		src[path] = &fstest.MapFile{Data: []byte(changed)}
	}
	return evaluator(tb, src)
}

// log records n decisions of the embedded policy: of ten, nine by live keys,
// half of them polls, and one by a revoked key.
func log(tb testing.TB, n int) []byte {
	tb.Helper()
	e := evaluator(tb, policy.Embedded())
	var out bytes.Buffer
	w := json.NewEncoder(&out)
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for i := range n {
		in := verify.Poll()
		switch {
		case i%10 == 0:
			in.Key.State = policy.KeyRevoked
		case i%2 == 0:
			in = verify.Submission()
		}
		d, err := e.Decide(tb.Context(), in)
		if err := w.Encode(decisionlog.New(fmt.Sprintf("d-%06d", i), at, e.Revision(), in, d, err)); err != nil {
			tb.Fatal(err)
		}
	}
	return out.Bytes()
}

func TestReplayOfATimeAndAgainstAPolicy(t *testing.T) {
	lines := bytes.ReplaceAll(log(t, 500), []byte(`"d-000010","timestamp":"2026-11-20T12`), []byte(`"d-000010","timestamp":"2026-11-20T13`))
	since := time.Date(2026, 11, 20, 13, 0, 0, 0, time.UTC)
	report, err := Run(t.Context(), bytes.NewReader(lines), lenient(t), Options{Since: since})
	if err != nil || report.Decisions != 1 || len(report.Changes) != 1 || report.Changes[0].Example != "d-000010" {
		t.Errorf("since: %+v, %v", report, err)
	}
	report, err = Run(t.Context(), bytes.NewReader(lines), evaluator(t, policy.Embedded()), Options{Against: lenient(t)})
	if err != nil || report.Decisions != 500 || len(report.Changes) != 1 || !strings.HasPrefix(report.Changes[0].Old, "200 ") {
		t.Errorf("against: %+v, %v", report, err)
	}
}

// TestARefusalOfTheLedgerIsNoDecision: no policy makes it, and none can change it.
func TestARefusalOfTheLedgerIsNoDecision(t *testing.T) {
	r := decisionlog.New("d-l", time.Now(), "r", verify.Submission(), policy.Decision{Status: 429, Rule: decisionlog.LedgerRule + "jobsPerDay"}, nil)
	r.Path = decisionlog.LedgerPath
	line, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.Concat(log(t, 500), line, []byte("\n"), line)
	report, err := Run(t.Context(), bytes.NewReader(lines), evaluator(t, policy.Embedded()), Options{})
	if err != nil || report.Decisions != 500 || report.Ledger != 2 || report.Unreadable != 0 || len(report.Changes) != 0 {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestWhatOthersAskedOrRefusedIsNoDecisionOnARequest: nobody can have a policy wait, or not
// wait, by asking.
func TestWhatOthersAskedOrRefusedIsNoDecisionOnARequest(t *testing.T) {
	lines := log(t, 500)
	for _, path := range []string{decisionlog.AskedPath, decisionlog.RefusalPath} {
		r := decisionlog.New("d-a", time.Now(), "r", verify.Submission(), policy.Decision{Status: 401, Rule: "gateway.missing"}, nil)
		r.Path, r.Count = path, 1000
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		lines = slices.Concat(lines, line, []byte("\n"))
	}
	report, err := Run(t.Context(), bytes.NewReader(lines), evaluator(t, policy.Embedded()), Options{})
	if err != nil || report.Decisions != 500 || report.Asked != 1 || report.Refused != 1 || report.Unreadable != 0 || len(report.Changes) != 0 {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestSamePolicyDecidesTheSame(t *testing.T) {
	report, err := Run(t.Context(), bytes.NewReader(log(t, 500)), evaluator(t, policy.Embedded()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if report.Decisions != 500 || report.Unreadable != 0 || len(report.Changes) != 0 || report.Unexpected() {
		t.Errorf("got %+v", report)
	}
}

func TestChangesAreGroupedAndHeldAgainstExpectations(t *testing.T) {
	const group = "50 decisions: status: 401 key.revoked -> 200 allowed (for example d-000000)"
	for _, tt := range []struct {
		name, expect string
		unexpected   bool
	}{
		{"nothing expected", "", true},
		{"expected", "# reason\n\nstatus: 401 key.revoked -> 200 allowed\n", false},
		{"expected of any action", "*: 401 key.revoked -> 200 allowed", false},
		{"another action expected", "files: 401 key.revoked -> 200 allowed", true},
		{"another outcome expected", "status: 401 key.revoked -> 403 denied", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			expected, err := ReadExpectations(strings.NewReader(tt.expect))
			if err != nil {
				t.Fatal(err)
			}
			report, err := Run(t.Context(), bytes.NewReader(log(t, 500)), lenient(t), Options{Expected: expected})
			if err != nil {
				t.Fatal(err)
			}
			if len(report.Changes) != 1 || report.Changes[0].String() != group {
				t.Errorf("got %v, want %s", report.Changes, group)
			}
			if report.Unexpected() != tt.unexpected {
				t.Errorf("unexpected is %t", report.Unexpected())
			}
		})
	}
}

func TestARecordCountsAsManyDecisionsAsItStandsFor(t *testing.T) {
	lines := bytes.ReplaceAll(log(t, 20), []byte(`"decision_id":"d-000010",`), []byte(`"decision_id":"d-000010","count":9999,`))
	report, err := Run(t.Context(), bytes.NewReader(lines), lenient(t), Options{})
	if err != nil || report.Decisions != 19+9999 || report.Changed() != 1+9999 || len(report.Changes) != 1 || report.Changes[0].Count != 10_000 {
		t.Errorf("got %+v, %v", report, err)
	}
}

func TestExpectationThatIsNotOneIsRefusedWithItsLine(t *testing.T) {
	_, err := ReadExpectations(strings.NewReader("# x\n401 -> 200\n"))
	if err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("got %v, want an error with line 2", err)
	}
}

func TestLinesThatCanNotBeDecidedAgainAreCountedAndNamed(t *testing.T) {
	lines := string(log(t, 3)) +
		`{"decision_id":"x","path":"svc/authz/decision","input":{"action":"status","masked":true}}` + "\n" +
		`{"decision_id":"y","path":"system/main","input":{"action":"status"}}` + "\n"
	report, err := Run(t.Context(), strings.NewReader(lines), evaluator(t, policy.Embedded()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if report.Decisions != 3 || report.Unreadable != 2 || !strings.HasPrefix(report.FirstUnreadable, "line 4: ") {
		t.Errorf("got %+v", report)
	}
}

func TestRecordWithoutADecisionChangesWhenThereIsOne(t *testing.T) {
	var out bytes.Buffer
	in := verify.Poll()
	if err := json.NewEncoder(&out).Encode(decisionlog.New("d", time.Time{}, "r", in, policy.Decision{}, policy.ErrNoDecision)); err != nil {
		t.Fatal(err)
	}
	report, err := Run(t.Context(), &out, evaluator(t, policy.Embedded()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Changes) != 1 || report.Changes[0].Old != "no decision" || report.Changes[0].New != "200 allowed" {
		t.Errorf("got %+v", report.Changes)
	}
}

func TestReplayEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	lines := log(t, 10*batchSize)
	cancel()
	if _, err := Run(ctx, bytes.NewReader(lines), evaluator(t, policy.Embedded()), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestExplanationNamesTheRulesThatHeld(t *testing.T) {
	found, err := decisionlog.Find(bytes.NewReader(log(t, 1)), "d-000000")
	if err != nil {
		t.Fatal(err)
	}
	r := found[0]
	x, err := Explain(t.Context(), evaluator(t, policy.Embedded()), r)
	if err != nil {
		t.Fatal(err)
	}
	if x.Decision == nil || x.Decision.Rule != "key.revoked" || x.Revision != r.Revision() {
		t.Errorf("got %+v", x.Decision)
	}
	i := slices.IndexFunc(x.Rules, func(r Rule) bool { return r.Held && strings.HasPrefix(r.Place, "svc/key/key.rego:") })
	if i < 0 || x.Rules[i].Name != "data.svc.key.problem" {
		t.Errorf("got the rules %+v", x.Rules)
	}
	if !strings.Contains(x.Trace, "svc/key/key.rego") {
		t.Errorf("got the trace %s", x.Trace)
	}
}

func BenchmarkReplay(b *testing.B) {
	lines := log(b, 20_000)
	e := evaluator(b, policy.Embedded())
	for b.Loop() {
		report, err := Run(b.Context(), bytes.NewReader(lines), e, Options{})
		if err != nil || report.Decisions != 20_000 {
			b.Fatal(report, err)
		}
		b.ReportMetric(float64(report.Decisions)/report.Duration.Seconds(), "decisions/s")
	}
}
