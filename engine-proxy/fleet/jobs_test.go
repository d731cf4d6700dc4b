package fleet

import (
	"context"
	"errors"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/wait"
)

// reserve makes a reservation that is past its deadline.
func (r *rig) reserve(projectID string) string {
	job := mint.NewJobID(time.Now())
	r.ledger.with(func() {
		r.ledger.open[job] = contract.OpenJob{JobID: job, ProjectID: projectID, OwnerID: "owner", Reserved: true, Overdue: true}
	})
	return job
}

func (r *rig) verdict(job string) (v contract.FenceVerdict) {
	r.ledger.with(func() { v = r.ledger.resolved[job] })
	return v
}

func (r *rig) endOf(job string) (rec contract.JobRecord, ok bool) {
	r.ledger.with(func() { rec, ok = r.ledger.ended[job] })
	return rec, ok
}

func TestOverdueReservationIsResolvedByTheEngineEvenIfItHasToBeStarted(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	project := mint.NewProjectID()
	fenced := r.reserve(project)
	wait.Until(t, "the reservation is resolved", func() bool { return r.verdict(fenced) == contract.Fenced })

	at := r.submit(project)
	rec := contract.JobRecord{JobID: mint.NewJobID(time.Now()), ProjectID: project, Status: api.JobRunning}
	r.send(at, http.MethodPost, "/test/accept", rec, nil)
	r.ledger.with(func() {
		r.ledger.open[rec.JobID] = contract.OpenJob{JobID: rec.JobID, ProjectID: project, Reserved: true, Overdue: true, Record: rec}
	})
	wait.Until(t, "the accepted one is committed", func() bool { return r.verdict(rec.JobID) == contract.Accepted })
}

func TestOverdueReservationOfAnUnreachableEngineIsLeft(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) {
		o.Timing.BackOff, o.Timing.BackOffMax, o.Timing.LostAfter = time.Millisecond, time.Millisecond, 2
	})
	project := mint.NewProjectID()
	r.switches(project, fakeengine.Switches{ExitAtStart: 1})
	job := r.reserve(project)
	wait.Until(t, "several starts fail", func() bool { return fakeengine.Starts(r.volume(project)) > 4 })
	if v := r.verdict(job); v != "" {
		t.Fatalf("resolved as %s without an engine", v)
	}
	if rec, ok := r.endOf(job); ok {
		t.Fatalf("ended as %+v without an engine", rec)
	}
}

func TestFenceAsksAReadyEngineAndStartsNone(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	project := mint.NewProjectID()
	id := mint.NewJobID(time.Now())
	if _, err := r.Fence(t.Context(), engineproxy.Project{ID: project}, id); !errors.Is(err, engineproxy.ErrUnreachable) {
		t.Fatalf("absent engine: got %v, want ErrUnreachable", err)
	}
	if fakeengine.Starts(r.volume(project)) != 0 {
		t.Fatal("fencing started an engine")
	}
	at := r.submit(project)
	if v, err := r.Fence(t.Context(), engineproxy.Project{ID: project}, id); err != nil || v != contract.Fenced {
		t.Fatalf("got %s, %v, want fenced", v, err)
	}
	if v, err := r.Fence(t.Context(), engineproxy.Project{ID: project}, r.accept(project, at)); err != nil || v != contract.Accepted {
		t.Fatalf("got %s, %v, want accepted", v, err)
	}
}

func TestJobThatAReadyEngineDoesNotKnowIsLost(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	project := mint.NewProjectID()
	at := r.submit(project)
	job := r.accept(project, at)
	r.close(StopAll)
	if err := os.RemoveAll(r.volume(project)); err != nil {
		t.Fatal(err)
	}
	r.open()
	wait.Until(t, "the job is ended", func() bool { _, ok := r.endOf(job); return ok })
	r.checkLost(job)
}

func TestJobsAreLostOnlyAfterSeveralFailedStarts(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) {
		o.Timing.BackOff, o.Timing.BackOffMax, o.Timing.LostAfter = time.Millisecond, time.Millisecond, 3
	})
	project := mint.NewProjectID()
	at := r.submit(project)
	job := r.accept(project, at)
	r.switches(project, fakeengine.Switches{ExitAtStart: 1})
	r.crash(at)
	wait.Until(t, "the job is ended", func() bool { _, ok := r.endOf(job); return ok })
	if got := fakeengine.Starts(r.volume(project)); got < 4 {
		t.Errorf("given up after %d failed starts, want 3", got-1)
	}
	r.checkLost(job)
}

func (r *rig) checkLost(job string) {
	r.t.Helper()
	rec, _ := r.endOf(job)
	if rec.Status != api.JobFailed || rec.Failure == nil || rec.Failure.Code != api.FailureEngineLost {
		r.t.Fatalf("ended as %+v, want engine_lost", rec)
	}
	log, err := r.Events(r.t.Context(), job)
	if err != nil {
		r.t.Fatal(err)
	}
	events, state, err := log.Read(0)
	if err != nil || len(events) != 1 || events[0].Type != api.EventFailed || events[0].ID != state.Last || !state.Ended {
		r.t.Fatalf("archived %v %+v %v, want the terminal event", events, state, err)
	}
}

func TestCancelReachesTheEngineAndWaitsForOneOnItsWay(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.Timing.Reap = time.Hour })
	project := mint.NewProjectID()
	at := r.submit(project)
	job := r.accept(project, at)
	r.switches(project, fakeengine.Switches{ReadyAfter: 50 * time.Millisecond})
	r.crash(at)
	if err := r.Cancel(t.Context(), engineproxy.Project{ID: project}, job); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "the end arrives", func() bool { return r.ledger.count() == 3 })
	r.ledger.with(func() {
		if got := r.ledger.applied[2].Record.Status; got != api.JobCancelled {
			t.Errorf("job ended as %s, want cancelled", got)
		}
	})
}

func TestCancelStartsNoEngineForAnEndedJob(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	project := mint.NewProjectID()
	err := r.Cancel(t.Context(), engineproxy.Project{ID: project}, mint.NewJobID(time.Now()))
	if !errors.Is(err, engineproxy.ErrAbsent) {
		t.Fatalf("got %v, want ErrAbsent", err)
	}
	if fakeengine.Starts(r.volume(project)) != 0 {
		t.Fatal("cancelling started an engine")
	}
}

func TestCancelIsBoundedByItsContext(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	project := mint.NewProjectID()
	at := r.submit(project)
	job := r.accept(project, at)
	r.switches(project, fakeengine.Switches{NeverReady: true})
	r.crash(at)
	wait.Until(t, "the engine starts again", func() bool { return r.info(project).Generation == 2 })
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if err := r.Cancel(ctx, engineproxy.Project{ID: project}, job); !errors.Is(err, engineproxy.ErrUnreachable) {
		t.Fatalf("got %v, want ErrUnreachable", err)
	}
}
