package ledger

import "time"

// dayBucket and monthBucket name what a job counts in. Buckets are named by
// the calendar, so nothing has to reset them.
func dayBucket(t time.Time) string   { return t.UTC().Format("d:2006-01-02") }
func monthBucket(t time.Time) string { return t.UTC().Format("m:2006-01") }

// notBefore returns the later of now and a key's clock, in milliseconds.
func notBefore(now time.Time, clock int64) time.Time {
	return time.UnixMilli(max(now.UnixMilli(), clock)).UTC()
}
