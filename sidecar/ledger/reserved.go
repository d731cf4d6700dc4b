package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
)

// Reserved returns the admission of a reservation whose answer was lost on its
// way, and false when it was never made. Usage and limits are those of now.
func (l *Ledger) Reserved(ctx context.Context, r sidecar.Reservation) (admission sidecar.Admission, made bool, err error) {
	err = l.store.View(ctx, func(v *store.Reader) error {
		job, state, err := readJob(v, r.JobID)
		if errors.Is(err, sidecar.ErrUnknownJob) {
			return nil
		}
		if err != nil {
			return err
		}
		if state != stateReserved || job.KeyID != r.KeyID || job.ProjectID != r.ProjectID {
			return fmt.Errorf("the job id is in use: %w", errDuplicate)
		}
		now, err := v.Now(l.now)
		if err != nil {
			return err
		}
		used, err := ReadUsage(v, r.KeyID, now)
		if err != nil {
			return err
		}
		limits, err := readLimits(v, r.KeyID)
		if err != nil {
			return err
		}
		admission = sidecar.Admission{SessionID: job.SessionID, Usage: used.Usage, Limits: narrow(limits, r.Limits)}
		made = true
		return nil
	})
	if err != nil {
		return sidecar.Admission{}, false, fmt.Errorf("looking for the reservation of %s: %w", r.JobID, err)
	}
	return admission, made, nil
}

// errDuplicate: a job id came twice, which gateways never mint.
var errDuplicate = errors.New("another submission has it")

func readLimits(r *store.Reader, keyID string) (limits policy.Limits, err error) {
	err = r.Row("SELECT jobs_per_day, jobs_per_month, max_concurrent_jobs, tik_per_month FROM keys WHERE id = ?", keyID).
		Scan(&limits.JobsPerDay, &limits.JobsPerMonth, &limits.MaxConcurrentJobs, &limits.TIKPerMonth)
	return limits, err
}
