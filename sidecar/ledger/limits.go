package ledger

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"github.com/svc-games/svc/api"
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

// limitError is the refusal of a submission over a limit.
func limitError(limit string, limits policy.Limits, now time.Time) *api.Error {
	var message string
	switch limit {
	case api.LimitJobsPerDay:
		message = fmt.Sprintf("The key's limit of %d jobs per day is reached; it resets at 00:00 UTC.", *limits.JobsPerDay)
	case api.LimitJobsPerMonth:
		message = fmt.Sprintf("The key's limit of %d jobs per month is reached; it resets on the 1st (UTC).", *limits.JobsPerMonth)
	case api.LimitMaxConcurrentJobs:
		message = fmt.Sprintf("The key's limit of %d concurrent jobs is reached; wait for one of them to end.", *limits.MaxConcurrentJobs)
	case api.LimitTIKPerMonth:
		message = fmt.Sprintf("The key's limit of %s TIK per month is reached; it resets on the 1st (UTC).", *limits.TIKPerMonth)
	}
	return &api.Error{
		Status: http.StatusTooManyRequests, Message: message,
		Reason: api.ReasonLimitExceeded, Limit: limit, RetryAfter: api.LimitRetryAfter(limit, now),
	}
}

// stateError is the refusal of a key that is no longer active.
func stateError(state string) *api.Error {
	return &api.Error{
		Status:  http.StatusUnauthorized,
		Message: fmt.Sprintf("The API key is %s.", state),
		Reason:  state,
	}
}
