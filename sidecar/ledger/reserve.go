package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
)

// DefaultAdmissionWait bounds how long a submission waits for its turn to be
// written: while another process locks the database it is refused, and its client
// can come back. Once its turn has come the outcome is waited for.
const DefaultAdmissionWait = 2 * time.Second

// Reserve admits a submission or writes nothing. See sidecar.Service. A call without
// an answer can be repeated: a job id is admitted once, and both calls get the same
// answer.
func (l *Ledger) Reserve(ctx context.Context, r sidecar.Reservation) (sidecar.Admission, error) {
	defer l.metrics.timed(opReserve, time.Now())
	admission, err := l.reserve(ctx, r)
	if errors.Is(err, store.ErrInDoubt) {
		// Its caller would refuse a submission that counts until it is overdue.
		// The commit may have used up the caller's time.
		var errAgain error
		if admission, errAgain = l.reserve(context.WithoutCancel(ctx), r); errAgain == nil {
			return admission, nil
		}
		err = errors.Join(err, errAgain)
	}
	if err != nil {
		return sidecar.Admission{}, fmt.Errorf("reserving %s: %w", r.JobID, err)
	}
	return admission, nil
}

// reserve makes one attempt. The key and the project are locked before anything
// is read: a count that was read before it is raised would be stale on a store
// with several writers, and an earlier attempt may be about to commit.
func (l *Ledger) reserve(ctx context.Context, r sidecar.Reservation) (admission sidecar.Admission, err error) {
	ctx, cancel := context.WithTimeout(ctx, l.wait)
	defer cancel()
	prompt := keptPrompt(r.Prompt)
	err = l.store.Update(ctx, func(tx *store.Tx) error {
		a := admitting{Reservation: r, tx: tx, requestID: peer.RequestOf(ctx).ID, prompt: prompt}
		if err := a.load(l.now); err != nil {
			return err
		}
		if a.made {
			admission = sidecar.Admission{SessionID: a.sessionID, Usage: a.usage, Limits: a.limits}
			return nil
		}
		if r.IdempotencyKey != "" {
			job, err := findReplay(&tx.Reader, r.KeyID, r.IdempotencyKey, r.Fingerprint)
			if err != nil {
				return err
			}
			if job != nil {
				admission = sidecar.Admission{SessionID: job.SessionID, Replayed: job}
				return nil
			}
		}
		if err := a.check(l.maxQueued); err != nil {
			return err
		}
		if err := a.count(); err != nil {
			return err
		}
		if err := a.insert(); err != nil {
			return err
		}
		if err := a.hook(); err != nil {
			return err
		}
		admission = sidecar.Admission{SessionID: a.sessionID, Usage: a.usage, Limits: a.limits}
		return nil
	})
	return admission, err
}
