package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
)

// Withdraw releases a reservation whose gateway got no answer and has refused the
// submission. If the reservation arrives later, it is refused with
// sidecar.ErrReleased. Withdraw is idempotent and never undoes a committed job.
func (l *Ledger) Withdraw(ctx context.Context, r sidecar.Reservation) error {
	undone := false
	err := l.store.Update(ctx, func(tx *store.Tx) error {
		if err := lockSubmission(tx, r.KeyID, r.ProjectID); errors.Is(err, store.ErrNoRows) {
			return nil // nor will there be a reservation
		} else if err != nil {
			return err
		}
		now, err := tx.Now(l.now)
		if err != nil {
			return err
		}
		// Without a reservation, insert one that is released already.
		n, err := tx.Exec(`INSERT INTO jobs
				(id, key_id, project_id, state, status, record, day, month, created_at, deadline_at, resolved_at)
			SELECT ?, k.id, p.id, 'released', 'queued', '{}', ?, ?, ?, ?, ? FROM keys k, projects p WHERE k.id = ? AND p.id = ?
			ON CONFLICT (id) DO NOTHING`,
			r.JobID, dayBucket(now), monthBucket(now), now.UnixMilli(), now.UnixMilli(), now.UnixMilli(), r.KeyID, r.ProjectID)
		if n > 0 || err != nil {
			return err
		}
		var keyID string
		err = tx.Row("SELECT key_id FROM jobs WHERE id = ?", r.JobID).Scan(&keyID)
		switch {
		case errors.Is(err, store.ErrNoRows):
			return nil // there is no such key or project
		case err != nil:
			return err
		case keyID != r.KeyID:
			return errDuplicate
		}
		undone, err = l.undo(tx, r.JobID)
		return err
	})
	if err != nil {
		return fmt.Errorf("withdrawing %s: %w", r.JobID, err)
	}
	if undone {
		l.changed(r.JobID, true)
	}
	return nil
}
