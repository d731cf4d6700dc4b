package egress

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
)

// ledgerDeadline bounds one question to the ledger.
const ledgerDeadline = 5 * time.Second

var errDebt = errors.New("earlier calls are not charged yet")

// account is what the egress keeps of a project, whichever engine serves it.
type account struct {
	egress    *Egress
	projectID string
	log       *zap.Logger // of what its engine makes happen
	journal   *journal
	damage    error         // why the journal can't be used; nil: it can
	holders   int           // who works with it; guarded by the egress's mu
	slots     chan struct{} // one taken by each call under way
	inFlight  inFlight
}

// takeUp charges what is open in a journal that was opened: at the answer where
// that is known, else at the limit.
func (a *account) takeUp() error {
	calls := a.journal.abandoned()
	if len(calls) > 0 {
		a.egress.log.Warn("calls without an answer are charged at their limit",
			zap.String("project", a.projectID), zap.Int("calls", len(calls)))
	}
	for _, id := range calls {
		if err := a.journal.answered(id, nil); err != nil {
			return errors.Join(err, a.journal.close())
		}
	}
	a.settleSoon()
	return nil
}

// grant asks the ledger for leave and returns the job that pays. No call goes
// out before every earlier one that was answered is charged: the balance that
// the ledger looks at is the true one but for the calls under way.
func (a *account) grant(ctx context.Context) (jobID string, refused *refusal) {
	if a.damage != nil {
		return "", damaged(a.damage)
	}
	ctx, cancel := context.WithTimeout(ctx, ledgerDeadline)
	defer cancel()
	if err := a.egress.check(ctx); err != nil {
		return "", unavailable(err)
	}
	if err := a.settle(ctx); err != nil {
		return "", unavailable(errors.Join(errDebt, err))
	}
	grant, err := a.egress.opts.Ledger.GrantCall(ctx, a.projectID)
	switch {
	case err != nil:
		return "", unavailable(err)
	case grant.JobID == "":
		return "", noRunningJob()
	case grant.Exhausted:
		return "", refuse(402, "tik_exhausted", "The balance allows no further step.")
	}
	return grant.JobID, nil
}

func noRunningJob() *refusal {
	return refuse(409, "no_running_job", "The project has no running job that could pay.")
}

// begin enters a call that is about to go out.
func (a *account) begin(jobID string, limit []contract.Unit) (int64, error) {
	return a.journal.begin(jobID, limit, a.egress.opts.Now())
}

// finish enters what a call cost, nil for its limit, and charges it. The
// engine is not in its way: what fails here is tried again.
func (a *account) finish(id int64, units []contract.Unit) {
	log := a.log.With(zap.Int64("call", id))
	note := a.journal.answered
	if units != nil && len(units) == 0 {
		note = func(id int64, _ []contract.Unit) error { return a.journal.free(id) }
	}
	if err := note(id, units); err != nil {
		log.Error("noting a call's answer failed", zap.Error(err))
	}
	ctx, cancel := context.WithTimeout(a.egress.ctx, ledgerDeadline)
	defer cancel()
	if err := a.settle(ctx); err != nil {
		log.Warn("charging a call failed", zap.Error(err))
		a.settleSoon()
	}
}

// idle reports whether nothing is under way or to be charged, and no job's end has
// to be remembered.
func (a *account) idle(now time.Time) bool { return a.journal.idle() && a.inFlight.idle(now) }

// settle charges what is due.
func (a *account) settle(ctx context.Context) error {
	return a.charge(ctx, a.journal.due(a.projectID))
}

// end charges all that a job has called for, and lets it call no more.
func (a *account) end(ctx context.Context, jobID string) error {
	if err := a.inFlight.end(ctx, jobID, a.egress.opts.Now()); err != nil {
		return err
	}
	due := a.journal.due(a.projectID)
	return a.charge(ctx, slices.DeleteFunc(due, func(c contract.Call) bool { return c.JobID != jobID }))
}

func (a *account) charge(ctx context.Context, due []contract.Call) error {
	for _, call := range due {
		if err := a.egress.opts.Ledger.ChargeCall(ctx, call); err != nil {
			return err
		}
		if err := a.journal.charged(call.ID); err != nil && !errors.Is(err, errJournalClosed) {
			return err
		}
	}
	return nil
}

// settleSoon charges what is due in the background, until nothing is.
func (a *account) settleSoon() {
	if len(a.journal.due(a.projectID)) == 0 {
		return
	}
	a.egress.wg.Go(func() {
		for {
			ctx, cancel := context.WithTimeout(a.egress.ctx, ledgerDeadline)
			err := a.settle(ctx)
			cancel()
			if err == nil {
				return
			}
			if clock.Sleep(a.egress.ctx, clock.System{}, a.egress.opts.Retry) != nil {
				return
			}
		}
	})
}
