package policy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"
	"unicode/utf8"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/svc-games/svc/api"
)

func oneFile(text string) fs.FS {
	return fstest.MapFS{"svc/authz/authz.rego": {Data: []byte(text)}}
}

func embeddedEvaluator(tb testing.TB) *Evaluator {
	tb.Helper()
	e, err := NewEvaluator(Embedded())
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// admissible is a submission that the policy allows.
func admissible() Input {
	day, tikMonth := int64(10), api.TIK(5_500_000)
	return Input{
		Action:  ActionGenerate,
		Key:     &Key{ID: "key_1", UserID: "user-1", State: KeyActive, Limits: Limits{JobsPerDay: &day, TIKPerMonth: &tikMonth}},
		Project: &Project{ID: "0123456789abcdef01234567", OwnerID: "user-1", Attributes: map[string]string{"readers": "user-2"}},
		Usage:   &Usage{JobsToday: 9, JobsThisMonth: 100, RunningJobs: 2, TIKThisMonth: 5_499_999},
	}
}

func TestDecideAnswersWithTheDocumentedShapes(t *testing.T) {
	e := embeddedEvaluator(t)
	for _, tt := range []struct {
		name   string
		change func(in *Input)
		want   Decision
	}{
		{"within every limit", func(*Input) {}, Decision{Allow: true, Status: 200, Rule: "allowed"}},
		{"disabled key", func(in *Input) { in.Key.State = KeyDisabled },
			Decision{Status: 401, Reason: api.ReasonDisabled, Rule: "key.disabled"}},
		{"revoked key", func(in *Input) { in.Key.State = KeyRevoked },
			Decision{Status: 401, Reason: api.ReasonRevoked, Rule: "key.revoked"}},
		{"no key", func(in *Input) { in.Key = nil },
			Decision{Status: 401, Reason: api.ReasonInvalid, Rule: "key.invalid"}},
		{"foreign project", func(in *Input) { in.Project.OwnerID = "user-2" },
			Decision{Status: 403, Rule: "project.forbidden"}},
		{"no project", func(in *Input) { in.Project = nil },
			Decision{Status: 403, Rule: "project.forbidden"}},
		{"day used up", func(in *Input) { in.Usage.JobsToday = 10 },
			Decision{Status: 429, Reason: api.ReasonLimitExceeded, Limit: api.LimitJobsPerDay, Rule: "limits.jobs_per_day"}},
		{"TIK used up to the last micro-TIK", func(in *Input) { in.Usage.TIKThisMonth = 5_500_000 },
			Decision{Status: 429, Reason: api.ReasonLimitExceeded, Limit: api.LimitTIKPerMonth, Rule: "limits.tik_per_month"}},
		{"usage not known", func(in *Input) { in.Usage = nil },
			Decision{Status: 403, Rule: "limits.unknown"}},
		{"unknown action", func(in *Input) { in.Action = "teleport" },
			Decision{Status: 403, Rule: "action.unknown"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := admissible()
			tt.change(&in)
			got, err := e.Decide(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			if !got.Allow && (got.Error == "" || !strings.HasSuffix(got.Error, ".")) {
				t.Errorf("error message %q is not a sentence", got.Error)
			}
			if in.Key != nil {
				tt.want.Limits = in.Key.Limits
			}
			tt.want.Error = got.Error
			if !equalJSON(t, got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func equalJSON(t *testing.T, a, b any) bool {
	t.Helper()
	left, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	right, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(left) == string(right)
}

func TestRevisionDependsOnTheRulesAndNotOnTheTests(t *testing.T) {
	revision := func(extra string, files ...string) string {
		src := fstest.MapFS{"svc/authz/authz.rego": {Data: []byte("package svc.authz\n\ndecision := json.unmarshal(\"" + extra + "\")\n")}}
		for _, name := range files {
			src[name] = &fstest.MapFile{Data: []byte("package svc.authz_test\n\ntest_x if true\n")}
		}
		e, err := NewEvaluator(src)
		if err != nil {
			t.Fatal(err)
		}
		return e.Revision()
	}
	base := revision("")
	if revision("1") == base {
		t.Error("a changed rule has the same revision")
	}
	if revision("", "svc/authz/authz_test.rego") != base {
		t.Error("a test changed the revision")
	}
	if revision("") != base {
		t.Error("the same sources have two revisions")
	}
}

func TestPolicyThatCanNotBeUsedIsRefusedWithItsPlace(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"syntax", "package svc.authz\n\ndecision := {", "authz.rego:3"},
		{"unsafe variable", "package svc.authz\n\ndecision := x", "authz.rego:3"},
		{"misspelt reference", "package svc.authz\n\nx := {\"a\": 1}\n\ndecision := data.svc.authz.y", "authz.rego:5"},
		{"unused local, by strict mode", "package svc.authz\n\ndecision if {\n\tx := 1\n}", "authz.rego:4"},
		{"no entrypoint", "package svc.authz\n\nother := 1", Entrypoint},
		{"misspelt member of the input", "package svc.authz\n\ndecision := input.project.ownerID", "authz.rego:3"},
		{"decision that is no object", "package svc.authz\n\ndecision := true", "authz.rego:3"},
		{"decision with a misspelt member", "package svc.authz\n\ndecision := {\"alow\": true}", "authz.rego:3"},
		{"decision without a member", "package svc.authz\n\ndecision := {\"allow\": true}", "authz.rego:3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewEvaluator(oneFile(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
	if _, err := NewEvaluator(fstest.MapFS{}); err == nil {
		t.Error("an empty directory is accepted as a policy")
	}
}

// noLimits is a decision's member.
const noLimits = `"limits": {"jobsPerDay": null, "jobsPerMonth": null, "maxConcurrentJobs": null, "tikPerMonth": null}`

func TestNothingButAWellFormedResultIsADecision(t *testing.T) {
	for _, tt := range []struct{ name, result string }{
		{"undefined", `json.unmarshal("{}") if input.action == "other"`},
		{"not an object", `json.unmarshal("true")`},
		{"no limits", `object.union({"allow": true, "status": 200, "error": "", "rule": "r"}, {})`},
		{"allow is not a boolean", `{"allow": "yes", "status": 200, "error": "", "rule": "r", ` + noLimits + `}`},
		{"allow with 403", `{"allow": true, "status": 403, "error": "", "rule": "r", ` + noLimits + `}`},
		{"refusal with 200", `{"allow": false, "status": 200, "error": "No.", "rule": "r", ` + noLimits + `}`},
		{"refusal without a message", `{"allow": false, "status": 403, "error": "", "rule": "r", ` + noLimits + `}`},
		{"other status", `{"allow": false, "status": 500, "error": "No.", "rule": "r", ` + noLimits + `}`},
		{"fractional status", `{"allow": true, "status": 200.5, "error": "", "rule": "r", ` + noLimits + `}`},
		{"status as text", `{"allow": true, "status": "200", "error": "", "rule": "r", ` + noLimits + `}`},
		{"no rule", `{"allow": true, "status": 200, "error": "", "rule": "", ` + noLimits + `}`},
		{"unknown member", `object.union({"admin": true}, {"allow": true, "status": 200, "error": "", "rule": "r", ` + noLimits + `})`},
		{"401 without reason", `{"allow": false, "status": 401, "error": "No.", "rule": "r", ` + noLimits + `}`},
		{"403 with reason", `{"allow": false, "status": 403, "error": "No.", "reason": "x", "rule": "r", ` + noLimits + `}`},
		{"429 without limit", `{"allow": false, "status": 429, "error": "No.", "reason": "limit_exceeded", "rule": "r", ` + noLimits + `}`},
		{"429 with another limit", `{"allow": false, "status": 429, "error": "No.", "reason": "limit_exceeded", "limit": "x", "rule": "r", ` + noLimits + `}`},
		{"limits with a missing member", `{"allow": true, "status": 200, "error": "", "rule": "r", "limits": {"jobsPerDay": 1}}`},
		{"limits with an unknown member", `{"allow": true, "status": 200, "error": "", "rule": "r", "limits": {"jobsPerDay": null, "jobsPerMonth": null, "maxConcurrentJobs": null, "tikPerMonth": null, "x": 1}}`},
		{"negative limit", `{"allow": true, "status": 200, "error": "", "rule": "r", "limits": {"jobsPerDay": -1, "jobsPerMonth": null, "maxConcurrentJobs": null, "tikPerMonth": null}}`},
		{"limit of text", `{"allow": true, "status": 200, "error": "", "rule": "r", "limits": {"jobsPerDay": "1", "jobsPerMonth": null, "maxConcurrentJobs": null, "tikPerMonth": null}}`},
		{"too precise TIK", `{"allow": true, "status": 200, "error": "", "rule": "r", "limits": {"jobsPerDay": 1, "jobsPerMonth": null, "maxConcurrentJobs": null, "tikPerMonth": 0.1234567}}`},
		{"conflict", "json.unmarshal(\"1\") if input.action\n\ndecision := json.unmarshal(\"2\") if input.action"},
		{"failing builtin", `{"allow": true, "status": 200, "error": "", "rule": "r", ` + noLimits + `} if not to_number(input.action) == 1`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := NewEvaluator(oneFile("package svc.authz\n\ndecision := " + tt.result + "\n"))
			if err != nil {
				t.Fatal(err)
			}
			d, err := e.Decide(t.Context(), admissible())
			if !errors.Is(err, ErrNoDecision) {
				t.Errorf("got %v, want ErrNoDecision", err)
			}
			if d.Allow {
				t.Error("the request is allowed in spite of the error")
			}
		})
	}
}

func TestCancelledRequestGetsNoDecision(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := embeddedEvaluator(t).Decide(ctx, admissible())
	if !errors.Is(err, ErrNoDecision) || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want ErrNoDecision and context.Canceled", err)
	}
}

func TestEvaluationEndsWithItsContext(t *testing.T) {
	e, err := NewEvaluator(oneFile(`package svc.authz

decision := json.unmarshal("{}") if {
	numbers.range(1, 2000)[i] + numbers.range(1, 2000)[j] + numbers.range(1, 2000)[k] == 0
}
`))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := e.Decide(ctx, admissible()); !errors.Is(err, ErrNoDecision) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want ErrNoDecision and context.DeadlineExceeded", err)
	}
}

// searched counts the values of rules that are looked at, at most, for those that are
// asked for. OPA's tree finds each at once.
type searched struct {
	*ruleValues
	steps int
}

func (s *searched) count() {
	if top := s.top(); top.tree == nil {
		s.steps += len(top.list)
	}
	s.steps++
}

func (s *searched) Get(path ast.Ref) (*ast.Term, bool) {
	s.count()
	return s.ruleValues.Get(path)
}

func (s *searched) Put(path ast.Ref, value *ast.Term) {
	s.count()
	s.ruleValues.Put(path, value)
}

// Ten times as many calls take ten times as many steps, and a hundred times with a
// search through all values for each.
func TestFunctionCalledForThousandsOfElementsCostsEachTheSame(t *testing.T) {
	steps := func(calls int) int {
		e, err := NewEvaluator(oneFile(fmt.Sprintf(`package svc.authz

below(n) if n <= 1000000

decision := {"allow": true, "status": 200, "error": "", "rule": "r", %s} if {
	every n in numbers.range(1, %d) { below(n) }
}
`, noLimits, calls)))
		if err != nil {
			t.Fatal(err)
		}
		s := &searched{ruleValues: newRuleValues()}
		if value, err := e.decision.evalWith(t.Context(), admissible().term(), nil, newEvaluation(s)); err != nil || value == nil {
			t.Fatalf("got %v, %v", value, err)
		}
		return s.steps
	}
	few, many := steps(500), steps(5000)
	if few < 500 || many > 12*few {
		t.Errorf("500 calls take %d steps, 5,000 take %d", few, many)
	}
}

func TestConcurrentDecisionsDoNotMix(t *testing.T) {
	e := embeddedEvaluator(t)
	states := map[string]int{KeyActive: 200, KeyDisabled: 401, KeyRevoked: 401}
	var wg sync.WaitGroup
	for state, status := range states {
		for range 4 {
			wg.Go(func() {
				for range 50 {
					in := admissible()
					in.Key.State = state
					d, err := e.Decide(t.Context(), in)
					if err != nil || d.Status != status {
						t.Errorf("key %s: got status %d, %v; want %d", state, d.Status, err, status)
						return
					}
				}
			})
		}
	}
	wg.Wait()
}

// FuzzInputValueEqualsItsJSON compares the hand-made input with the one that
// goes by way of JSON, which is what a stock OPA would see.
func FuzzInputValueEqualsItsJSON(f *testing.F) {
	f.Add("generate", "key_1", "user", "active", "owner", "readers", int64(3), int64(5_500_000), true)
	f.Add("", "", "", "", "", "", int64(-1), int64(-7), false)
	f.Add("status", "k\x00", "ü", "revoked", "\"", "a", int64(1)<<62, int64(1), true)
	f.Fuzz(func(t *testing.T, action, id, user, state, owner, attribute string, n, micro int64, all bool) {
		amount := api.TIK(micro)
		in := Input{Action: Action(action), Key: &Key{ID: id, UserID: user, State: state}}
		if all {
			in.Key.Limits = Limits{JobsPerDay: &n, JobsPerMonth: &n, MaxConcurrentJobs: &n, TIKPerMonth: &amount}
			in.Project = &Project{ID: id, OwnerID: owner, Attributes: map[string]string{attribute: owner}}
			in.Usage = &Usage{JobsToday: n, JobsThisMonth: n, RunningJobs: n, TIKThisMonth: amount}
		} else {
			in.Project = &Project{ID: id}
		}
		if !valid(action, id, user, state, owner, attribute) {
			return // JSON can't carry them
		}
		text, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		want, err := ast.ValueFromReader(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if in.Value().Compare(want) != 0 {
			t.Errorf("got %v, want %v", in.Value(), want)
		}
	})
}

// valid reports whether all of texts are UTF-8.
func valid(texts ...string) bool { return utf8.ValidString(strings.Join(texts, " ")) }

func BenchmarkDecide(b *testing.B) {
	e := embeddedEvaluator(b)
	refused := admissible()
	refused.Usage.JobsToday = 10
	poll := admissible()
	poll.Action, poll.Usage = ActionStatus, nil
	for name, in := range map[string]Input{"submission": admissible(), "poll": poll, "over limit": refused} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Decide(b.Context(), in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
