package ledger

import (
	"errors"
	"fmt"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
)

// Usage is what a key has used.
type Usage struct {
	policy.Usage
	// At is the instant in whose day and month the usage was counted. It is
	// now, or up to an hour later when the clock went back.
	At time.Time
}

// UsageColumns are what a row of keys has used, for UsageOf; their arguments are the day of
// UsageBuckets and twice its month.
const UsageColumns = `running, clock,
	coalesce((SELECT jobs FROM usage WHERE key_id = keys.id AND bucket = ?), 0),
	coalesce((SELECT jobs FROM usage WHERE key_id = keys.id AND bucket = ?), 0),
	coalesce((SELECT tik FROM usage WHERE key_id = keys.id AND bucket = ?), 0)`

// UsageBuckets name the day and the month of a moment.
func UsageBuckets(at time.Time) (day, month string) { return dayBucket(at), monthBucket(at) }

// UsageOf returns the usage that UsageColumns hold, counted by the buckets of now. current
// is false when the key counts in a time to come: ReadUsage reads that.
func UsageOf(columns [5]int64, now time.Time) (u Usage, current bool) {
	u.RunningJobs, u.JobsToday, u.JobsThisMonth, u.TIKThisMonth = columns[0], columns[2], columns[3], api.TIK(columns[4])
	u.At = keyTime(now, 0)
	return u, keyTime(now, columns[1]).Equal(u.At)
}

// ReadUsage returns what a key has used in the UTC day and month of now, or
// sidecar.ErrUnknownKey. Each submission is decided on by it, so it reads no
// more of the key's past.
func ReadUsage(r *store.Reader, keyID string, now time.Time) (Usage, error) {
	columns, err := readUsage(r, keyID, now)
	u, current := UsageOf(columns, now)
	if err == nil && !current {
		later := keyTime(now, columns[1])
		columns, err = readUsage(r, keyID, later)
		u, _ = UsageOf(columns, later)
	}
	if errors.Is(err, store.ErrNoRows) {
		return Usage{}, sidecar.ErrUnknownKey
	}
	if err != nil {
		return Usage{}, fmt.Errorf("reading the usage of %s: %w", keyID, err)
	}
	return u, nil
}

func readUsage(r *store.Reader, keyID string, at time.Time) (columns [5]int64, err error) {
	day, month := UsageBuckets(at)
	err = r.Numbers(columns[:], "SELECT "+UsageColumns+" FROM keys WHERE id = ?", day, month, month, keyID)
	return columns, err
}

// ReadSpent returns what a key spent since it was made.
func ReadSpent(r *store.Reader, keyID string) (api.TIK, error) {
	var spent api.TIK
	err := r.Row("SELECT coalesce(sum(tik), 0) FROM usage WHERE key_id = ? AND bucket LIKE 'm:%'", keyID).Scan(&spent)
	if err != nil {
		return 0, fmt.Errorf("reading what %s spent: %w", keyID, err)
	}
	return spent, nil
}
