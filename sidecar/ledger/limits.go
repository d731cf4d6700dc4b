package ledger

import (
	"cmp"
	"net/http"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/policy"
)

// LimitColumns are the columns of a key's limits, in the order of LimitFields.
const LimitColumns = "jobs_per_day, jobs_per_month, max_concurrent_jobs, tik_per_month"

// LimitFields returns where LimitColumns are scanned to.
func LimitFields(l *policy.Limits) []any {
	return []any{&l.JobsPerDay, &l.JobsPerMonth, &l.MaxConcurrentJobs, &l.TIKPerMonth}
}

// narrow returns the tighter of a key's limits and those of a request, one by
// one.
func narrow(key, request policy.Limits) policy.Limits {
	return policy.Limits{
		JobsPerDay:        tighter(key.JobsPerDay, request.JobsPerDay),
		JobsPerMonth:      tighter(key.JobsPerMonth, request.JobsPerMonth),
		MaxConcurrentJobs: tighter(key.MaxConcurrentJobs, request.MaxConcurrentJobs),
		TIKPerMonth:       tighter(key.TIKPerMonth, request.TIKPerMonth),
	}
}

// tighter returns the smaller of two limits; nil is unlimited.
func tighter[T cmp.Ordered](a, b *T) *T {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}

// exceeded returns the first limit that a usage which already includes the
// submission goes over, in the documented order, or "". TIK is charged later:
// its limit is hit once it is spent.
func exceeded(used policy.Usage, limits policy.Limits) string {
	switch {
	case limits.JobsPerDay != nil && used.JobsToday > *limits.JobsPerDay:
		return api.LimitJobsPerDay
	case limits.JobsPerMonth != nil && used.JobsThisMonth > *limits.JobsPerMonth:
		return api.LimitJobsPerMonth
	case limits.MaxConcurrentJobs != nil && used.RunningJobs > *limits.MaxConcurrentJobs:
		return api.LimitMaxConcurrentJobs
	case limits.TIKPerMonth != nil && used.TIKThisMonth >= *limits.TIKPerMonth:
		return api.LimitTIKPerMonth
	}
	return ""
}

// limitTexts and stateTexts are those of the shipped policy, which refuses most such
// submissions first: a client sees no difference.
var (
	limitTexts = map[string]string{
		api.LimitJobsPerDay:        "This API key has used all its jobs of today. The limit resets at 00:00 UTC.",
		api.LimitJobsPerMonth:      "This API key has used all its jobs of this month. The limit resets on the 1st at 00:00 UTC.",
		api.LimitMaxConcurrentJobs: "This API key has as many running jobs as it may have. Wait until one of them ends.",
		api.LimitTIKPerMonth:       "This API key has spent all its TIK of this month. The limit resets on the 1st at 00:00 UTC.",
	}
	stateTexts = map[string]string{
		policy.KeyDisabled: "This API key is disabled.",
		policy.KeyRevoked:  "This API key was revoked.",
	}
)

// limitError is the refusal of a submission over a limit.
func limitError(limit string, now time.Time) *answers.Error {
	return &answers.Error{
		Status: http.StatusTooManyRequests, Message: limitTexts[limit],
		Reason: api.ReasonLimitExceeded, Limit: limit, RetryAfter: answers.LimitRetryAfter(limit, now),
	}
}

// stateError is the refusal of a key that is no longer active.
func stateError(state string) *answers.Error {
	return &answers.Error{
		Status: http.StatusUnauthorized, Message: stateTexts[state], Reason: state,
	}
}
