package ledger

import (
	"errors"
	"fmt"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/sidecar/store"
)

// maxSteps bounds the usage records of a job that name the same unit, those of
// nothing included. The schema has this bound and contract.MaxUnits in a
// constraint.
const maxSteps = contract.MaxUnits

// breach is why a record is not applied: no engine that keeps the contract makes
// it.
type breach struct{ reason string }

func (b *breach) Error() string { return b.reason }

// addUnits adds the units of a record to those reported for the job so far. It returns
// a *breach for a unit that engines do not report or that has no price, and for a
// quantity that is out of bounds.
func (a *applying) addUnits(job *jobRow, units []contract.Unit) error {
	for _, u := range units {
		limit := contract.MaxReported(u.Name)
		if limit == 0 {
			return &breach{fmt.Sprintf("%q is not an engine's to report", u.Name)}
		}
		if _, priced := a.prices.of(u.Name); !priced {
			return &breach{fmt.Sprintf("%q has no price: add it to prices", u.Name)}
		}
		var quantity, steps int64
		err := a.tx.Row("SELECT quantity, steps FROM reported WHERE job_id = ? AND unit = ?", job.id, u.Name).Scan(&quantity, &steps)
		if err != nil && !errors.Is(err, store.ErrNoRows) {
			return err
		}
		switch {
		case u.Quantity < 0:
			return &breach{fmt.Sprintf("%q: the quantity %d is negative", u.Name, u.Quantity)}
		case u.Quantity > limit-quantity:
			return &breach{fmt.Sprintf("%q: %d more than %d; a job uses at most %d", u.Name, u.Quantity, quantity, limit)}
		case steps == maxSteps:
			return &breach{fmt.Sprintf("%q was reported %d times", u.Name, steps)}
		}
		if _, err := a.tx.Exec(`INSERT INTO reported (job_id, unit, quantity, steps) VALUES (?, ?, ?, 1)
				ON CONFLICT (job_id, unit) DO UPDATE SET quantity = reported.quantity + excluded.quantity, steps = reported.steps + 1`,
			job.id, u.Name, u.Quantity); err != nil {
			return err
		}
	}
	return nil
}
