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
	var u Usage
	var clock int64
	err := r.Row("SELECT running, clock FROM keys WHERE id = ?", keyID).Scan(&u.RunningJobs, &clock)
	if errors.Is(err, store.ErrNoRows) {
		return Usage{}, sidecar.ErrUnknownKey
	}
	if err != nil {
		return Usage{}, fmt.Errorf("reading the usage of %s: %w", keyID, err)
	}
	u.At = keyTime(now, clock)
	day, month := dayBucket(u.At), monthBucket(u.At)
	err = r.Row(`SELECT coalesce(sum(CASE WHEN bucket = ? THEN jobs END), 0),
			coalesce(sum(CASE WHEN bucket = ? THEN jobs END), 0),
			coalesce(sum(CASE WHEN bucket = ? THEN tik END), 0)
		FROM usage WHERE key_id = ? AND bucket IN (?, ?)`, day, month, month, keyID, day, month).
		Scan(&u.JobsToday, &u.JobsThisMonth, &u.TIKThisMonth)
	if err != nil {
		return Usage{}, fmt.Errorf("reading the usage of %s: %w", keyID, err)
	}
	return u, nil
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
