package ledger

import "time"

// dayBucket and monthBucket name what a job counts in. Buckets are named by
// the calendar, so nothing has to reset them.
func dayBucket(t time.Time) string   { return t.UTC().Format("d:2006-01-02") }
func monthBucket(t time.Time) string { return t.UTC().Format("m:2006-01") }

// maxAhead is how far a key's clock may be ahead of now and still count. A clock
// that was put right by less doesn't lead back into a day that is over; one that
// was wrong by more would keep the key in a future day until that comes.
const maxAhead = time.Hour

// keyTime returns the instant at which a key counts: the later of now and the
// key's clock, which is in milliseconds, unless that is too far ahead.
func keyTime(now time.Time, clock int64) time.Time {
	if ahead := time.UnixMilli(clock); ahead.After(now) && !ahead.After(now.Add(maxAhead)) {
		return ahead.UTC()
	}
	return now.UTC().Truncate(time.Millisecond)
}
