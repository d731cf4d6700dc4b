package ledger

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
)

// admitting is a reservation on its way.
type admitting struct {
	sidecar.Reservation
	tx        *store.Tx
	requestID string // of its client's request
	now       time.Time

	made       bool      // by an earlier attempt, whose answer was lost
	at         time.Time // now, or later when the key's clock is ahead
	day, month string    // the buckets of at
	fresh      []string  // those of them that nothing counts in yet
	sessionID  string
	limits     policy.Limits
	usage      policy.Usage // with this submission
	queued     int64        // jobs that wait in the project, without this one
}

// load locks the key and the project and reads what the submission is checked
// against. The project is kept against its deletion, and against submissions
// with other keys, which count the same queue.
func (a *admitting) load(clock func() time.Time) error {
	err := lockSubmission(a.tx, a.KeyID, a.ProjectID)
	if err == nil {
		a.now, err = a.tx.Now(clock)
	}
	if err == nil {
		err = a.read(a.now)
	}
	if err == nil && dayBucket(a.at) != a.day {
		err = a.read(a.at)
	}
	if errors.Is(err, store.ErrNoRows) {
		return a.missing()
	}
	return err
}

// lockSubmission locks a key and a project for what is submitted with them, or
// returns store.ErrNoRows; see store.Tx.LockRow.
func lockSubmission(tx *store.Tx, keyID, projectID string) error {
	return tx.LockRow("SELECT k.id FROM keys k, projects p WHERE k.id = ? AND p.id = ?", keyID, projectID)
}

// read reads all of it in one statement, with the usage in the day and month of
// an instant.
func (a *admitting) read(at time.Time) error {
	a.day, a.month = dayBucket(at), monthBucket(at)
	var state, userState string
	var ahead int64
	var limits policy.Limits
	var today, thisMonth *int64
	var tik *api.TIK
	var earlier struct{ state, keyID, projectID *string } // attempt with the same job id
	if err := a.tx.Row(`SELECT k.state, `+UserState("k.user_id")+`, k.running, k.clock, d.jobs, m.jobs, m.tik, p.session_id,
			(SELECT count(*) FROM jobs WHERE project_id = p.id AND resolved_at IS NULL AND status = 'queued'),
			j.state, j.key_id, j.project_id, `+LimitColumns+`
		FROM keys k JOIN projects p ON p.id = ?
			LEFT JOIN jobs j ON j.id = ?
			LEFT JOIN usage d ON d.key_id = k.id AND d.bucket = ?
			LEFT JOIN usage m ON m.key_id = k.id AND m.bucket = ?
		WHERE k.id = ?`, a.ProjectID, a.JobID, a.day, a.month, a.KeyID).
		Scan(append([]any{
			&state, &userState, &a.usage.RunningJobs, &ahead, &today, &thisMonth, &tik, &a.sessionID, &a.queued,
			&earlier.state, &earlier.keyID, &earlier.projectID,
		}, LimitFields(&limits)...)...); err != nil {
		return err
	}
	switch {
	case earlier.state == nil:
	case *earlier.keyID != a.KeyID || *earlier.projectID != a.ProjectID:
		return errDuplicate
	case *earlier.state == stateReleased:
		return sidecar.ErrReleased
	case *earlier.state != stateReserved:
		return errDuplicate
	default:
		a.made = true
	}
	if state != policy.KeyActive && !a.made {
		return stateError(state)
	}
	if userState != policy.UserActive && !a.made {
		return suspendedError()
	}
	a.at, a.limits = keyTime(a.now, ahead), narrow(limits, a.Limits)
	a.usage.JobsToday, a.usage.JobsThisMonth, a.usage.TIKThisMonth = value(today), value(thisMonth), value(tik)
	if a.made {
		return nil
	}
	a.fresh = nil
	if today == nil {
		a.fresh = append(a.fresh, a.day)
	}
	if thisMonth == nil {
		a.fresh = append(a.fresh, a.month)
	}
	a.usage.RunningJobs++
	a.usage.JobsToday++
	a.usage.JobsThisMonth++
	return nil
}

// errDuplicate: a job id came twice, which gateways never mint.
var errDuplicate = errors.New("the job id is in use: another submission has it")

// value returns what p points to, or 0.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// missing says why there is no active key with such a project.
func (a *admitting) missing() error {
	var state string
	err := a.tx.Row("SELECT state FROM keys WHERE id = ?", a.KeyID).Scan(&state)
	switch {
	case errors.Is(err, store.ErrNoRows):
		return sidecar.ErrUnknownKey
	case err != nil:
		return err
	case state != policy.KeyActive:
		return stateError(state)
	}
	return sidecar.ErrUnknownProject
}

// check looks at all four limits, and at the project's queue.
func (a *admitting) check(maxQueued int64) error {
	if limit := exceeded(a.usage, a.limits); limit != "" {
		return limitError(limit, a.at)
	}
	if a.queued >= maxQueued {
		return answers.Unavailable(fmt.Sprintf("The project has %d jobs waiting; no more are accepted.", a.queued),
			answers.ConcurrencyRetry, nil)
	}
	return nil
}

// count raises the key's running jobs, its day and its month.
func (a *admitting) count() error {
	if _, err := a.tx.Exec("UPDATE keys SET running = running + 1, last_used_at = ?, clock = ? WHERE id = ?",
		a.now.UnixMilli(), a.at.UnixMilli(), a.KeyID); err != nil {
		return err
	}
	if len(a.fresh) < 2 {
		if _, err := a.tx.Exec("UPDATE usage SET jobs = jobs + 1 WHERE key_id = ? AND bucket IN (?, ?)",
			a.KeyID, a.day, a.month); err != nil {
			return err
		}
	}
	for _, bucket := range a.fresh {
		if _, err := a.tx.Exec("INSERT INTO usage (key_id, bucket, jobs, tik) VALUES (?, ?, 1, 0)", a.KeyID, bucket); err != nil {
			return err
		}
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
	if _, err := a.tx.Exec(`INSERT INTO jobs
			(id, key_id, project_id, state, status, record, day, month, request_id, created_at, deadline_at)
		VALUES (?, ?, ?, 'reserved', 'queued', ?, ?, ?, ?, ?, ?)`,
		a.JobID, a.KeyID, a.ProjectID, string(record), a.day, a.month, a.requestID,
		a.now.UnixMilli(), a.now.Add(cmp.Or(a.Deadline, DefaultDeadline)).UnixMilli()); err != nil {
		return err
	}
	if a.IdempotencyKey == "" {
		return nil
	}
	_, err = a.tx.Exec(`INSERT INTO idempotency (key_id, name, fingerprint, job_id, created_at) VALUES (?, ?, ?, ?, ?)`,
		a.KeyID, a.IdempotencyKey, a.Fingerprint, a.JobID, a.now.UnixMilli())
	return err
}
