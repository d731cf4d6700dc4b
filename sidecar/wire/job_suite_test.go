package wire_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

func testJob(t *testing.T, w world) {
	key, project := w.key("alice", policy.Limits{}), w.project("alice")
	jobID := w.submit(key.ID, project.ID)
	batch := finished(project.ID, jobID)
	if _, err := w.Ledger.ApplyFeed(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	job, err := w.Service.Job(t.Context(), jobID)
	want := batch.Records[1].Record.Public(job.SessionID, api.MicroPerTIK)
	if err != nil || !job.Settled || job.KeyID != key.ID || job.OwnerID != "alice" || job.SessionID == "" ||
		fmt.Sprintf("%+v %+v", job.Job, *job.Files) != fmt.Sprintf("%+v %+v", withTimes(want, job.Job), *want.Files) {
		t.Errorf("job %+v, %v; want %+v", job, err, want)
	}
	if _, err := w.Service.Job(t.Context(), mint.NewJobID(time.Now())); !errors.Is(err, sidecar.ErrUnknownJob) {
		t.Errorf("no job: %v", err)
	}
}

// withTimes gives a job the pointers of another that says the same.
func withTimes(j, other api.Job) api.Job {
	if j.StartedAt.Equal(*other.StartedAt) && j.FinishedAt.Equal(*other.FinishedAt) {
		j.StartedAt, j.FinishedAt, j.Files = other.StartedAt, other.FinishedAt, other.Files
	}
	j.CreatedAt = other.CreatedAt // the store's own
	return j
}

func testAwaitEnd(t *testing.T, w world) {
	key, project := w.key("alice", policy.Limits{}), w.project("alice")
	jobID, released := w.submit(key.ID, project.ID), w.reserve(key.ID, project.ID)
	type end struct {
		job sidecar.Job
		err error
	}
	ended := make(chan end, 1)
	go func() {
		job, err := w.Service.AwaitEnd(w.patient(), jobID)
		ended <- end{job, err}
	}()
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := w.Service.AwaitEnd(short, jobID); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("before its end: %v", err)
	}
	if _, err := w.Ledger.ApplyFeed(t.Context(), finished(project.ID, jobID)); err != nil {
		t.Fatal(err)
	}
	if e := <-ended; e.err != nil || !e.job.Settled || e.job.Status != api.JobCompleted {
		t.Errorf("ended as %+v, %v", e.job, e.err)
	}
	if err := w.Service.Release(t.Context(), released); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{released, mint.NewJobID(time.Now())} {
		if _, err := w.Service.AwaitEnd(w.patient(), id); !errors.Is(err, sidecar.ErrUnknownJob) {
			t.Errorf("a job that is not there: %v", err)
		}
	}
}
