package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
)

// activate moves a row from reserved to active, and reports whether it was
// there to be moved.
func activate(tx *store.Tx, jobID string) (bool, error) {
	n, err := tx.Exec("UPDATE jobs SET state = 'active' WHERE id = ? AND state = 'reserved'", jobID)
	return n == 1, err
}

// settle moves a row from active to settled, notes what is to be posted of it, frees the key's slot, and reports
// whether the row was there to be moved.
func settle(tx *store.Tx, job *jobRow, record contract.JobRecord, now int64) (bool, error) {
	stored, err := encode(job, record)
	if err != nil {
		return false, err
	}
	n, err := tx.Exec(`UPDATE jobs SET state = 'settled', status = ?, record = ?, next_step = '', resolved_at = ?
		WHERE id = ? AND state = 'active'`, string(record.Status), stored, now, job.id)
	if n == 0 || err != nil {
		return false, err
	}
	if err := postEnd(tx, job, record.Status, now); err != nil {
		return false, err
	}
	return true, freeSlot(tx, job.keyID)
}

// lockKeys locks the keys of jobs, which comes before all other locks of a job, and
// returns them. A job that is reserved after this has no locked key. The caller must
// not write its row: it would then wait for the key with the row locked, while
// others wait for the row with the key locked.
func lockKeys(tx *store.Tx, jobIDs ...string) (map[string]bool, error) {
	locked := make(map[string]bool)
	for _, id := range jobIDs {
		var keyID string
		err := tx.Row("SELECT key_id FROM jobs WHERE id = ?", id).Scan(&keyID)
		if errors.Is(err, store.ErrNoRows) {
			continue
		}
		if err != nil {
			return nil, err
		}
		locked[keyID] = true
	}
	for _, keyID := range slices.Sorted(maps.Keys(locked)) {
		if err := tx.Lock("SELECT id FROM keys WHERE id = ?", keyID); err != nil {
			return nil, err
		}
	}
	return locked, nil
}

// lockKey is lockKeys for one job, or returns sidecar.ErrUnknownJob.
func lockKey(tx *store.Tx, jobID string) error {
	locked, err := lockKeys(tx, jobID)
	if err == nil && len(locked) == 0 {
		err = sidecar.ErrUnknownJob
	}
	return err
}

func freeSlot(tx *store.Tx, keyID string) error {
	_, err := tx.Exec("UPDATE keys SET running = running - 1 WHERE id = ?", keyID)
	return err
}

func stateOf(tx *store.Tx, jobID string) (string, error) {
	var state string
	err := tx.Row("SELECT state FROM jobs WHERE id = ?", jobID).Scan(&state)
	if errors.Is(err, store.ErrNoRows) {
		return "", sidecar.ErrUnknownJob
	}
	return state, err
}

// jobRow is what the transitions need of a job's row.
type jobRow struct {
	id, keyID, userID, projectID, sessionID string
	state, nextStep                         string
	createdAt                               int64 // ms since 1970
}

// loadJob returns a job's row, or sidecar.ErrUnknownJob. The user is the key's:
// the one who pays.
func loadJob(tx *store.Tx, jobID string) (*jobRow, error) {
	job := &jobRow{id: jobID}
	err := tx.Row(`SELECT j.key_id, k.user_id, j.project_id, p.session_id, j.state, j.next_step, j.created_at
		FROM jobs j JOIN keys k ON k.id = j.key_id JOIN projects p ON p.id = j.project_id
		WHERE j.id = ?`, jobID).
		Scan(&job.keyID, &job.userID, &job.projectID, &job.sessionID, &job.state, &job.nextStep, &job.createdAt)
	if errors.Is(err, store.ErrNoRows) {
		return nil, sidecar.ErrUnknownJob
	}
	return job, err
}

// encode writes a record as it is kept. Whose it is, the row says and not the
// engine.
func encode(job *jobRow, record contract.JobRecord) (string, error) {
	record.ProjectID, record.SessionID = job.projectID, job.sessionID
	stored, err := json.Marshal(record)
	return string(stored), err
}

// checkRecord refuses a record that can't be the job's.
func checkRecord(jobID string, record *contract.JobRecord, terminal bool) error {
	if record == nil {
		return errors.New("the record is missing")
	}
	if record.JobID != jobID {
		return fmt.Errorf("the record is of job %q", record.JobID)
	}
	switch record.Status {
	case api.JobQueued, api.JobRunning, api.JobCompleted, api.JobFailed, api.JobCancelled:
	default:
		return fmt.Errorf("the record has the unknown status %q", record.Status)
	}
	if record.Status.Terminal() != terminal {
		return fmt.Errorf("the record's status can't be %q here", record.Status)
	}
	return nil
}
