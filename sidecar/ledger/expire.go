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

// selectResolved is the query for jobs to be forgotten; jobs_resolved is its index. A
// job is kept while its game is published.
const selectResolved = `SELECT id FROM jobs WHERE resolved_at < ?
	AND NOT EXISTS (SELECT 1 FROM publications WHERE job_id = jobs.id) LIMIT ?`

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

// PublishedJobs returns the jobs whose games are published.
func (l *Ledger) PublishedJobs(ctx context.Context) ([]string, error) {
	ids, err := store.Read(ctx, l.store, func(r *store.Reader) ([]string, error) {
		return store.All(r, store.Column[string], "SELECT job_id FROM publications")
	})
	if err != nil {
		return nil, fmt.Errorf("listing published jobs: %w", err)
	}
	return ids, nil
}

// forget deletes jobs that are resolved: they never change again.
func (l *Ledger) forget(ctx context.Context, ids []string) error {
	return l.store.Update(ctx, func(tx *store.Tx) error {
		for _, id := range ids {
			if err := tx.Lock("SELECT id FROM jobs WHERE id = ?", id); err != nil {
				return err
			}
			const unpublished = " AND NOT EXISTS (SELECT 1 FROM publications WHERE job_id = ?)" // since it was listed
			if _, err := tx.Exec("DELETE FROM idempotency WHERE job_id = ?"+unpublished, id, id); err != nil {
				return err
			}
			if _, err := tx.Exec("DELETE FROM jobs WHERE id = ?"+unpublished, id, id); err != nil {
				return err
			}
		}
		return nil
	})
}
