package ledger

import (
	"errors"
	"fmt"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/sidecar/store"
)

// errReserved: a job was reserved while a batch about it was applied, after the
// keys of its jobs were locked. The feed's reader asks again.
var errReserved = errors.New("the job was reserved meanwhile")

// applying is a batch of feed records on its way.
type applying struct {
	tx                *store.Tx
	prices            prices
	now               time.Time
	projectID, feedID string

	cursor     uint64
	keys       map[string]bool    // that are locked
	jobs       map[string]*jobRow // nil for a job that is not this project's
	stop       map[string]api.FailureCode
	ended      []ending
	charged    api.TIK
	breach     *contract.Breach // at which the batch was left
	unadmitted []string         // ids of jobs
}

// record applies one record, or only its verdict when it is not new.
func (a *applying) record(r contract.FeedRecord) error {
	isNew := r.Seq > a.cursor
	job, err := a.job(r.JobID)
	if err != nil {
		return err
	}
	if job == nil {
		if _, listed := a.stop[r.JobID]; !listed {
			a.unadmitted = append(a.unadmitted, r.JobID)
		}
		a.stop[r.JobID] = api.FailureInternal
		return nil
	}
	if isNew {
		if err := a.apply(job, r); err != nil {
			return err
		}
	}
	return a.judge(job, r)
}

func (a *applying) apply(job *jobRow, r contract.FeedRecord) error {
	if job.state == stateReserved {
		// The feed overtook the commit: that the engine reports the job proves
		// that it accepted it.
		if _, err := activate(a.tx, job.id); err != nil {
			return err
		}
		job.state = stateActive
	}
	switch r.Kind {
	case contract.FeedStarted:
		return a.mirror(job, *r.Record, r.Next)
	case contract.FeedProgress:
		return a.mirror(job, *r.Record, job.nextStep)
	case contract.FeedUsage:
		return a.charge(job, r)
	default:
		return a.end(job, *r.Record)
	}
}

// mirror keeps the engine's record of a job that has not ended.
func (a *applying) mirror(job *jobRow, record contract.JobRecord, next string) error {
	stored, err := encode(job, record)
	if err != nil {
		return err
	}
	job.nextStep = next
	_, err = a.tx.Exec("UPDATE jobs SET status = ?, record = ?, next_step = ? WHERE id = ? AND state = 'active'",
		string(record.Status), stored, next, job.id)
	return err
}

// charge takes the price of a step that was done. A job that was cancelled
// meanwhile pays too. It returns a *breach for a step that can't have been done;
// once the job has ended, that costs nothing.
func (a *applying) charge(job *jobRow, r contract.FeedRecord) error {
	err := a.addUnits(job, r.Units)
	if errors.As(err, new(*breach)) && job.state == stateSettled {
		return nil
	}
	if err != nil {
		return err
	}
	cost, posted, err := post(a.tx, a.prices, a.now, job, a.feedID, int64(r.Seq), r.Units)
	if !posted || err != nil {
		return err
	}
	a.charged += cost
	if job.state == stateActive {
		job.nextStep = r.Next
	}
	_, err = a.tx.Exec("UPDATE jobs SET next_step = ? WHERE id = ?", job.nextStep, job.id)
	return err
}

// end settles a job, unless it was settled before.
func (a *applying) end(job *jobRow, record contract.JobRecord) error {
	settled, err := settle(a.tx, job, record, a.now.UnixMilli())
	if err != nil {
		return err
	}
	if settled {
		a.ended = append(a.ended, endingOf(job, record, a.now))
	}
	job.state, job.nextStep = stateSettled, ""
	return nil
}

// judge gives the verdict of a record that lets a priced step begin; a later
// record of the same job replaces it.
func (a *applying) judge(job *jobRow, r contract.FeedRecord) error {
	if job.state == stateSettled {
		delete(a.stop, job.id)
		return nil
	}
	if r.Kind != contract.FeedStarted && r.Kind != contract.FeedUsage {
		return nil
	}
	if r.Kind == contract.FeedStarted && r.Next == "" { // it has nothing to pay for
		delete(a.stop, job.id)
		return nil
	}
	balance, err := readBalance(&a.tx.Reader, job.userID)
	if err != nil {
		return err
	}
	if balance < 0 || balance == 0 && r.Next != "" {
		a.stop[job.id] = api.FailureTIKExhausted
	} else {
		delete(a.stop, job.id)
	}
	return nil
}

// stopExhausted stops the jobs of users without balance. It is for a batch without
// records: the verdict on the last ones may have been lost.
func (a *applying) stopExhausted() error {
	jobIDs, err := store.All(&a.tx.Reader, store.Column[string], `SELECT j.id FROM jobs j JOIN keys k ON k.id = j.key_id JOIN balances b ON b.user_id = k.user_id
		WHERE j.project_id = ? AND j.resolved_at IS NULL AND j.state = 'active' AND j.next_step <> '' AND b.tik <= 0`, a.projectID)
	for _, jobID := range jobIDs {
		a.stop[jobID] = api.FailureTIKExhausted
	}
	return err
}

func readBalance(r *store.Reader, userID string) (api.TIK, error) {
	var balance api.TIK
	if err := r.Row("SELECT tik FROM balances WHERE user_id = ?", userID).Scan(&balance); err != nil {
		return 0, fmt.Errorf("reading the balance of %s: %w", userID, err)
	}
	return balance, nil
}
