package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/svc-games/svc/sidecar/store"
)

// ErrNotOwner is returned, wrapped, to an installation that asks for what only
// the one that has the engines may know or do.
var ErrNotOwner = errors.New("another installation has the engines")

// DeletedProjects returns the deleted projects that ProjectsForgotten has not
// reported yet, oldest deletion first. Only the installation that has the engines
// gets an answer: it deletes volumes by it.
func (l *Ledger) DeletedProjects(ctx context.Context, installationID string) ([]string, error) {
	ids, err := store.Read(ctx, l.store, func(r *store.Reader) ([]string, error) {
		if err := mustOwn(r, installationID); err != nil {
			return nil, err
		}
		// A project that was restored from a backup is none of them.
		return store.All(r, store.Column[string], `SELECT project_id FROM deleted_projects d
			WHERE NOT EXISTS (SELECT 1 FROM projects p WHERE p.id = d.project_id)
			ORDER BY deleted_at, project_id`)
	})
	if err != nil {
		return nil, fmt.Errorf("listing deleted projects: %w", err)
	}
	return ids, nil
}

// forgetTwice is how old the mark of a deleted project is at least when it is dropped, and
// twice as long as what is under way at a deletion can take: what it wrote after all else
// was forgotten is found by the mark, the next time.
const forgetTwice = 30 * time.Second

// ProjectsForgotten drops the marks of deleted projects of which nothing is left, except
// those that are too young for that to be known. It is idempotent.
func (l *Ledger) ProjectsForgotten(ctx context.Context, installationID string, projectIDs []string) error {
	for some := range slices.Chunk(projectIDs, expireBatch) {
		err := l.store.Update(ctx, func(tx *store.Tx) error {
			if err := mustOwn(&tx.Reader, installationID); err != nil {
				return err
			}
			now, err := tx.Now(l.now)
			if err != nil {
				return err
			}
			for _, id := range some {
				if _, err := tx.Exec("DELETE FROM deleted_projects WHERE project_id = ? AND deleted_at <= ?", id, now.Add(-forgetTwice).UnixMilli()); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("dropping the marks of deleted projects: %w", err)
		}
	}
	return nil
}

// mustOwn returns an error unless an installation has the engines.
func mustOwn(r *store.Reader, installationID string) error {
	owner, err := readOwner(r)
	if err == nil && owner.ID != installationID {
		err = fmt.Errorf("%w: %s", ErrNotOwner, owner.Place)
	}
	return err
}
