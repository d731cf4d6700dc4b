package ledger

import (
	"context"
	"fmt"
	"time"

	"github.com/svc-games/svc/sidecar/store"
)

// Renew puts the deadline of a reservation off, for the gateway that works on it. It
// locks the one row and no key: nothing that is counted changes.
func (l *Ledger) Renew(ctx context.Context, jobID string, after time.Duration) error {
	err := l.store.Update(ctx, func(tx *store.Tx) error {
		now, err := tx.Now(l.now)
		if err != nil {
			return err
		}
		deadline := now.Add(after).UnixMilli()
		_, err = tx.Exec("UPDATE jobs SET deadline_at = ? WHERE id = ? AND state = 'reserved' AND deadline_at < ?",
			deadline, jobID, deadline)
		return err
	})
	if err != nil {
		return fmt.Errorf("renewing %s: %w", jobID, err)
	}
	return nil
}
