package ledger

import (
	"encoding/json"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/sidecar/store"
)

// post moves what units cost, which it returns: entry, balance, the key's month and the
// job's sum. It reports false, and changes nothing, when the project's entry of that
// feed and number is there already. A debt of MaxAmount grows no further: what
// comes then is entered and costs nothing, so that no sum leaves 64 bits.
func post(tx *store.Tx, p prices, now time.Time, job *jobRow, feedID string, seq int64, units []contract.Unit) (cost api.TIK, posted bool, err error) {
	cost, err = p.cost(units)
	if err != nil {
		return 0, false, err
	}
	stored, err := json.Marshal(units)
	if err != nil {
		return 0, false, err
	}
	n, err := tx.Exec(`INSERT INTO tik_entries
			(project_id, feed_id, seq, user_id, key_id, job_id, delta, units, at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (project_id, feed_id, seq) DO NOTHING`,
		job.projectID, feedID, seq, job.userID, job.keyID, job.id, int64(-cost), string(stored), now.UnixMilli())
	if n == 0 || err != nil {
		return 0, false, err
	}
	n, err = tx.Exec("UPDATE balances SET tik = tik - ? WHERE user_id = ? AND tik > ?", int64(cost), job.userID, int64(-MaxAmount))
	if err != nil {
		return 0, false, err
	}
	if n == 0 {
		cost = 0
		if _, err := tx.Exec("UPDATE tik_entries SET delta = 0 WHERE project_id = ? AND feed_id = ? AND seq = ?", job.projectID, feedID, seq); err != nil {
			return 0, false, err
		}
	}
	var clock int64
	err = tx.Row(`UPDATE keys SET clock = CASE WHEN clock BETWEEN ? AND ? THEN clock ELSE ? END WHERE id = ? RETURNING clock`,
		now.UnixMilli(), now.Add(maxAhead).UnixMilli(), now.UnixMilli(), job.keyID).Scan(&clock)
	if err != nil {
		return 0, false, err
	}
	if _, err := tx.Exec(`INSERT INTO usage (key_id, bucket, jobs, tik) VALUES (?, ?, 0, ?)
			ON CONFLICT (key_id, bucket) DO UPDATE SET tik = usage.tik + excluded.tik`,
		job.keyID, monthBucket(keyTime(now, clock)), int64(cost)); err != nil {
		return 0, false, err
	}
	_, err = tx.Exec("UPDATE jobs SET tik_spent = tik_spent + ? WHERE id = ?", int64(cost), job.id)
	return cost, true, err
}
