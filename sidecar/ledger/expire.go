package ledger

import (
	"context"
	"fmt"
	"time"

	"github.com/svc-games/svc/sidecar/store"
)

// expireBatch is how many jobs one transaction forgets: submissions wait for
// it no longer than for each other.
const expireBatch = 200

// selectResolved is the query for jobs to be forgotten; jobs_resolved is its index.
const selectResolved = "SELECT id FROM jobs WHERE resolved_at < ? LIMIT ?"

// Expire forgets the jobs that ended, or were released, before a time: their
// rows and idempotency keys. It returns how many. What they count in days,
// months and balances stays, and so do the entries of what was charged.
func (l *Ledger) Expire(ctx context.Context, before time.Time) (int, error) {
	forgotten := 0
	for {
		ids, err := store.Read(ctx, l.store, func(r *store.Reader) ([]string, error) {
			return store.All(r, store.Column[string], selectResolved, before.UnixMilli(), expireBatch)
		})
		if err != nil {
			return forgotten, fmt.Errorf("listing expired jobs: %w", err)
		}
		if len(ids) == 0 {
			return forgotten, nil
		}
		if err := l.forget(ctx, ids); err != nil {
			return forgotten, fmt.Errorf("forgetting expired jobs: %w", err)
		}
		forgotten += len(ids)
	}
}

// forget deletes jobs that are resolved: they never change again.
func (l *Ledger) forget(ctx context.Context, ids []string) error {
	return l.store.Update(ctx, func(tx *store.Tx) error {
		for _, id := range ids {
			if _, err := tx.Exec("DELETE FROM idempotency WHERE job_id = ?", id); err != nil {
				return err
			}
			if _, err := tx.Exec("DELETE FROM jobs WHERE id = ?", id); err != nil {
				return err
			}
		}
		return nil
	})
}
