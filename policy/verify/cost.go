package verify

import (
	"context"
	"fmt"
	"io/fs"
	"runtime"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
)

// CostFile may hold a policy's Budget, as JSON; DefaultBudget holds without it.
const CostFile = "cost.json"

// Budget is the allocations that a decision may cost, building its input
// included. Time depends on the machine and its load; allocations do not, and
// time follows them.
type Budget struct {
	// Poll bounds a decision on Poll, of which there are many for each submission.
	Poll int `json:"poll"`
	// Submission bounds a decision on Submission.
	Submission int `json:"submission"`
	// Reason says why a budget is above DefaultBudget, for whoever reads the
	// verification.
	Reason string `json:"reason,omitempty"`
}

// DefaultBudget is that of a policy without CostFile.
var DefaultBudget = Budget{Poll: 220, Submission: 360}

// readBudget reads CostFile from src.
func readBudget(src fs.FS) (Budget, error) {
	b := DefaultBudget
	if err := readJSON(src, CostFile, &b); err != nil {
		return b, err
	}
	if b.Poll <= 0 || b.Submission <= 0 {
		return b, fmt.Errorf("reading %s: a budget must be positive, is %d for a poll and %d for a submission", CostFile, b.Poll, b.Submission)
	}
	if (b.Poll > DefaultBudget.Poll || b.Submission > DefaultBudget.Submission) && strings.TrimSpace(b.Reason) == "" {
		return b, fmt.Errorf("reading %s: a budget above %d for a poll and %d for a submission needs a reason",
			CostFile, DefaultBudget.Poll, DefaultBudget.Submission)
	}
	return b, nil
}

// Submission is a submission that the embedded policy allows, by a key with
// two limits.
func Submission() policy.Input {
	day, tikMonth := int64(10), api.TIK(5_500_000)
	return policy.Input{
		Action: policy.ActionGenerate,
		Key: &policy.Key{
			ID: "key_1", UserID: "user-1", UserState: policy.UserActive, State: policy.KeyActive, Scopes: []string{policy.ScopeFull},
			Limits: policy.Limits{JobsPerDay: &day, TIKPerMonth: &tikMonth},
		},
		Project: &policy.Project{ID: "0123456789abcdef01234567", OwnerID: "user-1", Attributes: map[string]string{"team": "arcade"}},
		Usage:   &policy.Usage{JobsToday: 9, JobsThisMonth: 100, RunningJobs: 2, TIKThisMonth: 5_499_999},
		Request: &policy.Request{IP: usualRequest.IP, Time: usualRequest.Time, Method: "POST", UserAgent: usualRequest.UserAgent},
	}
}

// Poll is a look at the state of a job.
func Poll() policy.Input {
	in := Submission()
	in.Action, in.Usage, in.Request.Method = policy.ActionStatus, nil, "GET"
	return in
}

func (v *verifier) cost() (string, []string) {
	budget, err := readBudget(v.src)
	if err != nil {
		return "", []string{err.Error()}
	}
	var findings, measured []string
	for _, c := range []struct {
		name   string
		in     policy.Input
		budget int
	}{{"poll", Poll(), budget.Poll}, {"submission", Submission(), budget.Submission}} {
		n, err := allocations(v.ctx, v.evaluator, c.in)
		if err != nil {
			return "", []string{fmt.Sprintf("deciding on a %s: %v", c.name, err)}
		}
		measured = append(measured, fmt.Sprintf("%s %d of %d", c.name, n, c.budget))
		if n*100 > c.budget*budgetPercent {
			findings = append(findings, fmt.Sprintf(
				"a %s costs %d allocations, its budget is %d; use fewer rules and functions on its way, compare input with constants, or raise it in %s, with a reason",
				c.name, n, c.budget, CostFile))
		}
	}
	summary := strings.Join(measured, ", ") + " allocations"
	if budget.Reason != "" {
		summary += "; " + budget.Reason
	}
	return summary, findings
}

// allocations returns what one decision allocates: the least of several
// rounds, as the rest of the program allocates, too.
func allocations(ctx context.Context, e *policy.Evaluator, in policy.Input) (int, error) {
	const rounds, decisions = 8, 32
	least := uint64(1 << 62)
	for range rounds {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range decisions {
			if _, err := e.Decide(ctx, in); err != nil {
				return 0, err
			}
		}
		runtime.ReadMemStats(&after)
		least = min(least, (after.Mallocs-before.Mallocs)/decisions)
	}
	return int(least), nil
}
