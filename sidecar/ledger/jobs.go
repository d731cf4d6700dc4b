package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
)

// States of a job's row.
const (
	stateReserved = "reserved"
	stateActive   = "active"
	stateSettled  = "settled"
	stateReleased = "released"
)

// Job returns a job, or sidecar.ErrUnknownJob.
func (l *Ledger) Job(ctx context.Context, jobID string) (sidecar.Job, error) {
	return store.Read(ctx, l.store, func(r *store.Reader) (sidecar.Job, error) {
		job, _, err := readJob(r, jobID)
		return job, err
	})
}

// readJob returns a job and the state of its row.
func readJob(r *store.Reader, jobID string) (sidecar.Job, string, error) {
	job, state, err := scanJob(r.Row(selectJob+" WHERE j.id = ?", jobID).Scan)
	if errors.Is(err, store.ErrNoRows) || err == nil && state == stateReleased {
		return sidecar.Job{}, "", sidecar.ErrUnknownJob
	}
	if err != nil {
		return sidecar.Job{}, "", fmt.Errorf("reading job %s: %w", jobID, err)
	}
	return job, state, nil
}

// selectJob selects what scanJob reads.
const selectJob = `SELECT j.id, j.state, j.record, j.tik_spent, j.key_id, p.owner_id, p.session_id,
		CASE WHEN j.status = 'queued' AND j.resolved_at IS NULL THEN (SELECT count(*) FROM jobs o
			WHERE o.project_id = j.project_id AND o.resolved_at IS NULL AND o.status = 'queued'
				AND (o.created_at < j.created_at OR o.created_at = j.created_at AND o.id <= j.id)) ELSE 0 END,
		CASE WHEN j.status = 'queued' AND j.resolved_at IS NULL THEN (SELECT count(*) FROM jobs o
			WHERE o.project_id = j.project_id AND o.resolved_at IS NULL AND o.status = 'running') ELSE 0 END
	FROM jobs j JOIN projects p ON p.id = j.project_id`

// scanJob reads a job and the state of its row.
func scanJob(scan store.Scan) (job sidecar.Job, state string, err error) {
	var id, stored, session string
	var spent api.TIK
	var position, running int // position is 0 for a job that is not queued
	if err := scan(&id, &state, &stored, &spent, &job.KeyID, &job.OwnerID, &session, &position, &running); err != nil {
		return sidecar.Job{}, "", err
	}
	record, err := decode(id, stored)
	if err != nil {
		return sidecar.Job{}, "", err
	}
	job.Job, job.Settled = record.Public(session, spent), state == stateSettled
	if position > 0 {
		job.Queue = &api.Queue{Position: position, Ahead: position - 1 + running}
	}
	return job, state, nil
}

// decode reads a job's record as it is kept.
func decode(jobID, stored string) (record contract.JobRecord, err error) {
	if err := json.Unmarshal([]byte(stored), &record); err != nil {
		return contract.JobRecord{}, fmt.Errorf("reading the record of job %s: %w", jobID, err)
	}
	return record, nil
}

// The queries of OpenJobs: each has the index that it needs.
const (
	selectOpen = `SELECT j.id, j.project_id, p.owner_id, j.state, j.record, j.created_at, j.deadline_at
		FROM jobs j JOIN projects p ON p.id = j.project_id WHERE j.resolved_at IS NULL`
	inOrder             = " ORDER BY j.created_at, j.id"
	selectAllOpen       = selectOpen + inOrder
	selectOpenOfProject = selectOpen + " AND j.project_id = ?" + inOrder
)

// OpenJobs lists the jobs that count as running, oldest first, of one project
// or, with "", of all.
func (l *Ledger) OpenJobs(ctx context.Context, projectID string) ([]contract.OpenJob, error) {
	query, args := selectAllOpen, []any(nil)
	if projectID != "" {
		query, args = selectOpenOfProject, []any{projectID}
	}
	jobs, err := store.Read(ctx, l.store, func(r *store.Reader) ([]contract.OpenJob, error) {
		now, err := r.Now(l.now)
		if err != nil {
			return nil, err
		}
		return store.All(r, func(scan store.Scan) (job contract.OpenJob, err error) {
			var state, stored string
			var created, deadline int64
			if err := scan(&job.JobID, &job.ProjectID, &job.OwnerID, &state, &stored, &created, &deadline); err != nil {
				return job, err
			}
			if job.Record, err = decode(job.JobID, stored); err != nil {
				return job, err
			}
			job.Reserved = state == stateReserved
			// A clock that was ahead set a deadline that is too late.
			job.Overdue = job.Reserved && (deadline < now.UnixMilli() || created > now.Add(maxAhead).UnixMilli())
			return job, nil
		}, query, args...)
	})
	if err != nil {
		return nil, fmt.Errorf("listing unfinished jobs: %w", err)
	}
	return jobs, nil
}

// AwaitEnd returns the job once it is settled, sidecar.ErrUnknownJob once its
// reservation is released, or ctx's error.
func (l *Ledger) AwaitEnd(ctx context.Context, jobID string) (sidecar.Job, error) {
	for {
		ended, stop := l.endings.watch(jobID)
		job, err := l.Job(ctx, jobID)
		if err != nil || job.Settled {
			stop()
			return job, err
		}
		select {
		case <-ended:
			stop()
		case <-ctx.Done():
			stop()
			return sidecar.Job{}, fmt.Errorf("waiting for the end of job %s: %w", jobID, ctx.Err())
		}
	}
}
