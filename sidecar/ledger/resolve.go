package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
)

// Commit records that the engine accepted a job. It is idempotent, and
// succeeds however late it comes, unless the reservation was released.
func (l *Ledger) Commit(ctx context.Context, jobID string) error {
	defer l.metrics.timed(opCommit, time.Now())
	err := l.store.Update(ctx, func(tx *store.Tx) error {
		for {
			done, err := activate(tx, jobID)
			if done || err != nil {
				return err
			}
			switch state, err := stateOf(tx, jobID); {
			case err != nil:
				return err
			case state == stateReleased:
				return sidecar.ErrReleased
			case state != stateReserved:
				return nil
			}
			// Its reservation was committed between the two statements.
		}
	})
	if err != nil {
		return fmt.Errorf("committing %s: %w", jobID, err)
	}
	return nil
}

// Release undoes a reservation that the engine provably did not accept, in
// exactly the buckets it counts in. It is idempotent. A job that was committed
// meanwhile stays as it is.
func (l *Ledger) Release(ctx context.Context, jobID string) error {
	defer l.metrics.timed(opRelease, time.Now())
	var state string
	err := l.store.Update(ctx, func(tx *store.Tx) error {
		done, err := l.undo(tx, jobID)
		if done || err != nil {
			state = stateReleased
			return err
		}
		state, err = stateOf(tx, jobID)
		return err
	})
	if err != nil {
		return fmt.Errorf("releasing %s: %w", jobID, err)
	}
	if state != stateReleased {
		l.logger.Warn("release of a committed job ignored", zap.String("job_id", jobID))
		return nil
	}
	l.changed(jobID, true)
	return nil
}

// undo moves a row from reserved to released, takes back what it counted, and
// reports whether the row was there to be moved.
func (l *Ledger) undo(tx *store.Tx, jobID string) (bool, error) {
	if err := lockKey(tx, jobID); err != nil {
		return false, err
	}
	now, err := tx.Now(l.now)
	if err != nil {
		return false, err
	}
	var keyID, day, month string
	err = tx.Row(`UPDATE jobs SET state = 'released', prompt = '', resolved_at = ?
		WHERE id = ? AND state = 'reserved' RETURNING key_id, day, month`,
		now.UnixMilli(), jobID).Scan(&keyID, &day, &month)
	if errors.Is(err, store.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if _, err := tx.Exec("UPDATE usage SET jobs = jobs - 1 WHERE key_id = ? AND bucket IN (?, ?)",
		keyID, day, month); err != nil {
		return false, err
	}
	if _, err := tx.Exec("DELETE FROM idempotency WHERE job_id = ?", jobID); err != nil {
		return false, err
	}
	return true, freeSlot(tx, keyID)
}

// Resolve commits an overdue reservation that the engine accepted, and releases one
// that is fenced.
func (l *Ledger) Resolve(ctx context.Context, jobID string, v contract.FenceVerdict) error {
	switch v {
	case contract.Accepted:
		return l.Commit(ctx, jobID)
	case contract.Fenced:
		return l.Release(ctx, jobID)
	}
	return fmt.Errorf("resolving %s: unknown verdict %q", jobID, v)
}

// EndJob settles a job that no engine can end any more. The first end of a job
// wins: for one that has ended, or was never admitted, nothing changes.
func (l *Ledger) EndJob(ctx context.Context, record contract.JobRecord) error {
	if err := checkRecord(record.JobID, &record, true); err != nil {
		return fmt.Errorf("ending %s: %w", record.JobID, err)
	}
	settled, end := false, ending{}
	err := l.store.Update(ctx, func(tx *store.Tx) error {
		if err := lockKey(tx, record.JobID); err != nil {
			return err
		}
		job, err := loadJob(tx, record.JobID)
		if err != nil {
			return err
		}
		if job.projectID != record.ProjectID {
			return fmt.Errorf("the record is of project %q, the job of %s", record.ProjectID, job.projectID)
		}
		if _, err := activate(tx, record.JobID); err != nil {
			return err
		}
		now, err := tx.Now(l.now)
		if err != nil {
			return err
		}
		settled, err = settle(tx, job, record, now.UnixMilli())
		end = endingOf(job, record, now)
		return err
	})
	if err != nil {
		return fmt.Errorf("ending %s: %w", record.JobID, err)
	}
	if settled {
		l.metrics.end(end)
		l.changed(record.JobID, true)
	}
	return nil
}
