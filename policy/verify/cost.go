package verify

import (
	"context"
	"fmt"
	"runtime"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
)

// The allocations that a decision may cost, building its input included. Time
// depends on the machine and its load; allocations do not, and time follows
// them.
const (
	PollBudget       = 200
	SubmissionBudget = 280
)

// Submission is a submission that the embedded policy allows, by a key with
// two limits.
func Submission() policy.Input {
	day, tikMonth := int64(10), api.TIK(5_500_000)
	return policy.Input{
		Action: policy.ActionGenerate,
		Key: &policy.Key{
			ID: "key_1", UserID: "user-1", State: policy.KeyActive,
			Limits: policy.Limits{JobsPerDay: &day, TIKPerMonth: &tikMonth},
		},
		Project: &policy.Project{ID: "0123456789abcdef01234567", OwnerID: "user-1", Attributes: map[string]string{"team": "arcade"}},
		Usage:   &policy.Usage{JobsToday: 9, JobsThisMonth: 100, RunningJobs: 2, TIKThisMonth: 5_499_999},
	}
}

// Poll is a look at the state of a job, of which there are many for each
// submission.
func Poll() policy.Input {
	in := Submission()
	in.Action, in.Usage = policy.ActionStatus, nil
	return in
}

func (v *verifier) cost() (string, []string) {
	var findings []string
	var measured []int
	for _, c := range []struct {
		name   string
		in     policy.Input
		budget int
	}{{"poll", Poll(), PollBudget}, {"submission", Submission(), SubmissionBudget}} {
		n, err := allocations(v.ctx, v.evaluator, c.in)
		if err != nil {
			return "", []string{fmt.Sprintf("deciding on a %s: %v", c.name, err)}
		}
		measured = append(measured, n)
		if n*100 > c.budget*budgetPercent {
			findings = append(findings, fmt.Sprintf(
				"a %s costs %d allocations, its budget is %d; use fewer rules and functions on its way, and compare input with constants",
				c.name, n, c.budget))
		}
	}
	return fmt.Sprintf("poll %d of %d allocations, submission %d of %d",
		measured[0], PollBudget, measured[1], SubmissionBudget), findings
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
