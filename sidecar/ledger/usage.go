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

// ReadUsage returns what a key has used in the UTC day and month of now, or
// sidecar.ErrUnknownKey. Each submission is decided on by it, so it reads no
// more of the key's past.
func ReadUsage(r *store.Reader, keyID string, now time.Time) (Usage, error) {
	u, clock, err := readUsage(r, keyID, keyTime(now, 0))
	if err == nil && !keyTime(now, clock).Equal(u.At) { // the key counts in a time to come
		u, _, err = readUsage(r, keyID, keyTime(now, clock))
	}
	if errors.Is(err, store.ErrNoRows) {
		return Usage{}, sidecar.ErrUnknownKey
	}
	if err != nil {
		return Usage{}, fmt.Errorf("reading the usage of %s: %w", keyID, err)
	}
	return u, nil
}

// readUsage returns what a key has used in the day and month of at, and its clock.
func readUsage(r *store.Reader, keyID string, at time.Time) (u Usage, clock int64, err error) {
	u.At = at
	day, month := dayBucket(at), monthBucket(at)
	err = r.Row(`SELECT running, clock,
			coalesce((SELECT jobs FROM usage WHERE key_id = keys.id AND bucket = ?), 0),
			coalesce((SELECT jobs FROM usage WHERE key_id = keys.id AND bucket = ?), 0),
			coalesce((SELECT tik FROM usage WHERE key_id = keys.id AND bucket = ?), 0)
		FROM keys WHERE id = ?`, day, month, month, keyID).
		Scan(&u.RunningJobs, &clock, &u.JobsToday, &u.JobsThisMonth, &u.TIKThisMonth)
	return u, clock, err
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
