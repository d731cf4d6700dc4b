package answers

import (
	"time"

	"github.com/svc-games/svc/api"
)

// ConcurrencyRetry is how long a client over maxConcurrentJobs, or of a full
// queue, is asked to wait: no one knows when a job ends.
const ConcurrencyRetry = 5 * time.Second

// DayEnd returns when the UTC day of t ends.
func DayEnd(t time.Time) time.Time {
	y, m, d := t.UTC().Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, time.UTC)
}

// MonthEnd returns when the UTC month of t ends.
func MonthEnd(t time.Time) time.Time {
	y, m, _ := t.UTC().Date()
	return time.Date(y, m+1, 1, 0, 0, 0, 0, time.UTC)
}

// LimitRetryAfter returns how long after now a submission that hit limit is
// worth another try: until the limit resets, or ConcurrencyRetry.
func LimitRetryAfter(limit string, now time.Time) time.Duration {
	switch limit {
	case api.LimitJobsPerDay:
		return DayEnd(now).Sub(now)
	case api.LimitJobsPerMonth, api.LimitTIKPerMonth:
		return MonthEnd(now).Sub(now)
	}
	return ConcurrencyRetry
}
