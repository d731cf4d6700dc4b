package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
)

// admissionWait bounds how long a submission waits for its turn to be written:
// while another process locks the database it is refused, and its client can
// come back. Once its turn has come the outcome is waited for.
const admissionWait = 2 * time.Second

// Reserve admits a submission or writes nothing. See sidecar.Service.
//
// It counts first and looks at the result: an operation that returns an error
// is undone as a whole, and a count that was read before it was raised could be
// stale on a store with several writers.
func (l *Ledger) Reserve(ctx context.Context, r sidecar.Reservation) (sidecar.Admission, error) {
	ctx, cancel := context.WithTimeout(ctx, admissionWait)
	defer cancel()
	var admission sidecar.Admission
	err := l.store.Update(ctx, func(tx *store.Tx) error {
		a := admitting{Reservation: r, tx: tx}
		var err error
		if a.now, err = tx.Now(l.now); err != nil {
			return err
		}
		if err := a.countRunning(); err != nil {
			return err
		}
		if err := a.findProject(); err != nil {
			return err
		}
		if r.IdempotencyKey != "" {
			job, err := findReplay(&tx.Reader, r.KeyID, r.IdempotencyKey, r.Fingerprint)
			if err != nil {
				return err
			}
			if job != nil {
				return &replayed{job: job}
			}
		}
		if err := a.countJobs(); err != nil {
			return err
		}
		if err := a.checkQueue(l.maxQueued); err != nil {
			return err
		}
		if err := a.insert(); err != nil {
			return err
		}
		admission = sidecar.Admission{SessionID: a.sessionID, Usage: a.usage, Limits: a.limits}
		return nil
	})
	var replay *replayed
	if errors.As(err, &replay) {
		return sidecar.Admission{SessionID: replay.job.SessionID, Replayed: replay.job}, nil
	}
	if errors.Is(err, store.ErrInDoubt) {
		// Its caller would refuse a submission that counts until it is overdue.
		found, made, errFound := l.lookUp(ctx, r)
		if made {
			return found, nil
		}
		err = errors.Join(err, errFound)
	}
	if err != nil {
		return sidecar.Admission{}, fmt.Errorf("reserving %s: %w", r.JobID, err)
	}
	return admission, nil
}

// lookUp is Reserved with a time of its own: the commit may have used up the
// caller's.
func (l *Ledger) lookUp(ctx context.Context, r sidecar.Reservation) (sidecar.Admission, bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), admissionWait)
	defer cancel()
	return l.Reserved(ctx, r)
}

// admitting is a reservation on its way.
type admitting struct {
	sidecar.Reservation
	tx  *store.Tx
	now time.Time

	at        time.Time // now, or later when the key's clock is ahead
	sessionID string
	limits    policy.Limits
	usage     policy.Usage
}

// countRunning checks the key's state, raises its running jobs and reads its
// limits, all in one statement that locks the key.
func (a *admitting) countRunning() error {
	var clock int64
	var limits policy.Limits
	err := a.tx.Row(`UPDATE keys SET running = running + 1, last_used_at = ?,
			clock = CASE WHEN clock < ? THEN ? ELSE clock END
		WHERE id = ? AND state = 'active'
		RETURNING running, clock, jobs_per_day, jobs_per_month, max_concurrent_jobs, tik_per_month`,
		a.now.UnixMilli(), a.now.UnixMilli(), a.now.UnixMilli(), a.KeyID).
		Scan(&a.usage.RunningJobs, &clock,
			&limits.JobsPerDay, &limits.JobsPerMonth, &limits.MaxConcurrentJobs, &limits.TIKPerMonth)
	if errors.Is(err, store.ErrNoRows) {
		return a.keyError()
	}
	if err != nil {
		return err
	}
	a.at, a.limits = notBefore(a.now, clock), narrow(limits, a.Limits)
	return nil
}

// keyError says why there is no active key.
func (a *admitting) keyError() error {
	var state string
	err := a.tx.Row("SELECT state FROM keys WHERE id = ?", a.KeyID).Scan(&state)
	if errors.Is(err, store.ErrNoRows) {
		return sidecar.ErrUnknownKey
	}
	if err != nil {
		return err
	}
	return stateError(state)
}

// findProject reads the project and keeps it: against its deletion, and against
// submissions with other keys, which would count the same queue.
func (a *admitting) findProject() error {
	err := a.tx.LockedRow("SELECT session_id FROM projects WHERE id = ?", a.ProjectID).Scan(&a.sessionID)
	if errors.Is(err, store.ErrNoRows) {
		return sidecar.ErrUnknownProject
	}
	return err
}

// countJobs raises the day and the month and checks all four limits.
func (a *admitting) countJobs() error {
	day, month := dayBucket(a.at), monthBucket(a.at)
	err := a.tx.Each(func(scan store.Scan) error {
		var bucket string
		var jobs int64
		var tik api.TIK
		if err := scan(&bucket, &jobs, &tik); err != nil {
			return err
		}
		if bucket == day {
			a.usage.JobsToday = jobs
		} else {
			a.usage.JobsThisMonth, a.usage.TIKThisMonth = jobs, tik
		}
		return nil
	}, "UPDATE usage SET jobs = jobs + 1 WHERE key_id = ? AND bucket IN (?, ?) RETURNING bucket, jobs, tik", a.KeyID, day, month)
	if err != nil {
		return err
	}
	if err := a.beginBucket(day, &a.usage.JobsToday); err != nil {
		return err
	}
	if err := a.beginBucket(month, &a.usage.JobsThisMonth); err != nil {
		return err
	}
	if limit := exceeded(a.usage, a.limits); limit != "" {
		return limitError(limit, a.limits, a.at)
	}
	return nil
}

// beginBucket counts the first job of a day or a month, which is none that was
// counted. The key is locked: no one else begins it.
func (a *admitting) beginBucket(bucket string, jobs *int64) error {
	if *jobs > 0 {
		return nil
	}
	*jobs = 1
	_, err := a.tx.Exec("INSERT INTO usage (key_id, bucket, jobs, tik) VALUES (?, ?, 1, 0)", a.KeyID, bucket)
	return err
}

func (a *admitting) checkQueue(most int64) error {
	var queued int64
	err := a.tx.Row(`SELECT count(*) FROM jobs
		WHERE project_id = ? AND resolved_at IS NULL AND status = 'queued'`, a.ProjectID).Scan(&queued)
	if err != nil {
		return err
	}
	if queued >= most {
		return api.Unavailable(fmt.Sprintf("The project has %d jobs waiting; no more are accepted.", queued),
			api.ConcurrencyRetry, nil)
	}
	return nil
}

func (a *admitting) insert() error {
	record, err := json.Marshal(contract.JobRecord{
		JobID: a.JobID, ProjectID: a.ProjectID, SessionID: a.sessionID,
		Status: api.JobQueued, Progress: api.Progress{Stage: api.StageQueued},
		CreatedAt: a.now.UTC().Truncate(time.Millisecond),
	})
	if err != nil {
		return err
	}
	deadline := a.Deadline
	if deadline == 0 {
		deadline = DefaultDeadline
	}
	if _, err := a.tx.Exec(`INSERT INTO jobs
			(id, key_id, project_id, state, status, record, day, month, created_at, deadline_at)
		VALUES (?, ?, ?, 'reserved', 'queued', ?, ?, ?, ?, ?)`,
		a.JobID, a.KeyID, a.ProjectID, string(record), dayBucket(a.at), monthBucket(a.at),
		a.now.UnixMilli(), a.now.Add(deadline).UnixMilli()); err != nil {
		return err
	}
	if a.IdempotencyKey == "" {
		return nil
	}
	_, err = a.tx.Exec(`INSERT INTO idempotency (key_id, name, fingerprint, job_id, created_at) VALUES (?, ?, ?, ?, ?)`,
		a.KeyID, a.IdempotencyKey, a.Fingerprint, a.JobID, a.now.UnixMilli())
	return err
}
