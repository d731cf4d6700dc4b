package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/sidecar/store"
)

// egressFeed stands in the place of a feed in the entries of calls to models.
const egressFeed = "egress"

// GrantCall says whether a call to a model may go out for a project now: its
// running job pays, and as with every other step its payer's balance must be
// above zero.
func (l *Ledger) GrantCall(ctx context.Context, projectID string) (contract.CallGrant, error) {
	var grant contract.CallGrant
	err := l.store.View(ctx, func(r *store.Reader) error {
		var balance api.TIK
		err := r.Row(`SELECT j.id, b.tik
			FROM jobs j JOIN keys k ON k.id = j.key_id JOIN balances b ON b.user_id = k.user_id
			WHERE j.project_id = ? AND j.resolved_at IS NULL AND j.state = 'active' AND j.status = 'running'
			ORDER BY j.created_at, j.id LIMIT 1`, projectID).Scan(&grant.JobID, &balance)
		if errors.Is(err, store.ErrNoRows) {
			return nil
		}
		grant.Exhausted = balance <= 0
		return err
	})
	if err != nil {
		return contract.CallGrant{}, fmt.Errorf("granting a call for project %s: %w", projectID, err)
	}
	return grant, nil
}

// ChargeCall charges a call to a model to the job it was made for, also when
// that has ended meanwhile. A call that is charged already changes nothing.
func (l *Ledger) ChargeCall(ctx context.Context, call contract.Call) error {
	var cost api.TIK
	err := l.store.Update(ctx, func(tx *store.Tx) error {
		if err := lockKey(tx, call.JobID); err != nil {
			return err
		}
		job, err := loadJob(tx, call.JobID)
		if err != nil {
			return err
		}
		if job.projectID != call.ProjectID {
			return fmt.Errorf("the job is of project %s", job.projectID)
		}
		now, err := tx.Now(l.now)
		if err != nil {
			return err
		}
		cost, _, err = post(tx, *l.prices.Load(), now, job, egressFeed, call.ID, call.Units)
		return err
	})
	if err != nil {
		return fmt.Errorf("charging call %d of job %s: %w", call.ID, call.JobID, err)
	}
	l.metrics.charge(forCalls, cost)
	return nil
}

// Unpriced returns those of the units that have no price.
func (l *Ledger) Unpriced(_ context.Context, units []string) ([]string, error) {
	return l.prices.Load().unpriced(units), nil
}

// Prices returns what one of each unit costs; those without a price are left out.
func (l *Ledger) Prices(_ context.Context, units []string) (map[string]api.TIK, error) {
	found := make(map[string]api.TIK)
	for _, unit := range units {
		if price, priced := l.prices.Load().of(unit); priced {
			found[unit] = price
		}
	}
	return found, nil
}
