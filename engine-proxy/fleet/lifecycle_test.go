package fleet

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/remote"
	"github.com/svc-games/svc/peer"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/wait"
)

func TestCrashedEngineWithUnfinishedJobsIsRestartedUnasked(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.Timing.Reap = time.Hour }) // not by the reaper
	project := mint.NewProjectID()
	at := r.submit(project)
	r.accept(project, at)
	r.crash(at)
	wait.Until(t, "engine is back", func() bool {
		i := r.info(project)
		return i.State == engineproxy.StateReady && i.Generation == 2
	})
}

func TestCrashedEngineWithoutJobsStaysAbsent(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	project := mint.NewProjectID()
	r.crash(r.submit(project))
	r.eventuallyState(project, engineproxy.StateAbsent)
	if got := fakeengine.Starts(r.volume(project)); got != 1 {
		t.Fatalf("%d starts, want 1", got)
	}
}

func TestSecondCrashInARowWaitsForItsBackOff(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	project := mint.NewProjectID()
	at := r.submit(project)
	r.accept(project, at)
	r.crash(at)
	wait.Until(t, "engine is back", func() bool { return r.info(project).Generation == 2 && r.info(project).State == engineproxy.StateReady })
	r.crash(r.submit(project))
	r.eventuallyState(project, engineproxy.StateFailed)
	var failed *engineproxy.FailedError
	if _, err := r.Submit(t.Context(), engineproxy.Project{ID: project}, ample); !errors.As(err, &failed) {
		t.Fatalf("got %v, want a FailedError", err)
	}
}

func TestEngineThatIsKilledAgainAndAgainIsBackForItsJobsAfterItsFirstBackOff(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) {
		o.Timing.Reap = time.Hour // not by the reaper
		o.Timing.BackOff = 100 * time.Millisecond
	})
	project := mint.NewProjectID()
	for generation := uint64(2); generation < 12; generation++ { // doubled each time it would be a minute
		at := r.submit(project)
		before := r.report(at).Acked
		job := r.accept(project, at)
		r.accept(project, at) // for which it comes back
		r.send(at, http.MethodPost, "/test/end", fakeengine.End{JobID: job, Status: api.JobCompleted}, nil)
		wait.Until(t, "it is reported", func() bool { return r.report(at).Acked > before })
		r.crash(at)
		wait.Until(t, "engine is back", func() bool {
			i := r.info(project)
			return i.State == engineproxy.StateReady && i.Generation == generation
		})
	}
}

func TestIdleEngineIsStoppedAndABusyOneIsNot(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.IdleTTL = 60 * time.Millisecond })
	idle, leased, working := mint.NewProjectID(), mint.NewProjectID(), mint.NewProjectID()
	lease := r.lease(leased)
	begun := r.lease(working) // as a gateway does: until the engine has the job
	r.accept(working, begun.Endpoint)
	begun.Release()
	r.submit(idle)
	r.eventuallyState(idle, engineproxy.StateAbsent)
	for _, id := range []string{leased, working} {
		wait.Until(t, "it is said why an engine in use is kept", func() bool {
			i := r.info(id)
			if i.State == engineproxy.StateAbsent || i.Generation != 1 {
				t.Fatalf("engine that is in use: %+v", i)
			}
			return i.State == engineproxy.StateReady && i.AliveBecause != "" // a drain that met the work is undone
		})
	}
	lease.Release()
	r.eventuallyState(leased, engineproxy.StateAbsent)
}

func TestUnacknowledgedFeedKeepsTheEngine(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.IdleTTL = 30 * time.Millisecond })
	project := mint.NewProjectID()
	lease := r.lease(project)
	at := lease.Endpoint
	r.ledger.with(func() { r.ledger.down = true })
	job := contract.JobRecord{JobID: mint.NewJobID(time.Now()), ProjectID: project, Status: api.JobRunning}
	r.send(at, "POST", "/test/accept", job, nil)
	r.send(at, "POST", "/test/end", fakeengine.End{JobID: job.JobID, Status: api.JobCompleted}, nil)
	wait.Until(t, "the proxy knows of the records", func() bool { return r.info(project).Activity.UnackedFeed == 3 })
	lease.Release()
	began := time.Now()
	wait.Until(t, "several idle times pass", func() bool { return time.Since(began) > 150*time.Millisecond })
	if i := r.info(project); i.State != engineproxy.StateReady {
		t.Fatalf("engine with an undelivered feed is %s", i.State)
	}
	r.ledger.with(func() { r.ledger.down = false })
	r.eventuallyState(project, engineproxy.StateAbsent)
	if got := r.ledger.count(); got != 3 {
		t.Fatalf("%d records were applied, want 3", got)
	}
}

func TestSubmissionUndoesADrain(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	project := mint.NewProjectID()
	r.switches(project, fakeengine.Switches{HoldDrain: true})
	at := r.submit(project)
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- r.Stop(ctx, project, false) }()
	r.eventuallyState(project, engineproxy.StateDraining)
	cancel()
	if err := <-stopped; !errors.Is(err, engineproxy.ErrBusy) {
		t.Fatalf("stopping without patience: %v", err)
	}
	var starting *engineproxy.StartingError
	if _, err := r.Submit(t.Context(), engineproxy.Project{ID: project}, 0); !errors.As(err, &starting) {
		t.Fatalf("submitting to an engine that drains: %v", err)
	}
	r.switches(project, fakeengine.Switches{})
	lease := r.lease(project)
	defer lease.Release()
	if lease.InstanceID != at.InstanceID {
		t.Fatal("the engine was stopped although a submission came")
	}
	if rep := r.report(at); rep.Drained || rep.Undrained == 0 {
		t.Fatalf("the engine still refuses jobs: %+v", rep)
	}
}

func TestStopWaitsForWorkAndForceDoesNot(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	project := mint.NewProjectID()
	at := r.submit(project)
	job := r.accept(project, at)
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- r.Stop(ctx, project, false) }()
	wait.Until(t, "it is asked to drain, and goes on", func() bool {
		d, err := r.Show(t.Context(), project)
		return err == nil && d.State == engineproxy.StateReady && slices.ContainsFunc(d.Transitions, func(tr engineproxy.Transition) bool { return tr.From == engineproxy.StateDraining })
	})
	cancel()
	if err := <-stopped; !errors.Is(err, engineproxy.ErrBusy) {
		t.Fatalf("stopping a working engine: got %v, want ErrBusy", err)
	}
	go func() { stopped <- r.Stop(t.Context(), project, false) }()
	r.send(at, "POST", "/test/end", fakeengine.End{JobID: job, Status: api.JobCompleted}, nil)
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	at = r.submit(project)
	r.accept(project, at)
	if err := r.Stop(t.Context(), project, true); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "unfinished jobs bring the engine back", func() bool {
		i := r.info(project)
		return i.State == engineproxy.StateReady && i.InstanceID != at.InstanceID
	})
}

func TestEngineThatIgnoresTheSignalIsKilled(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.Timing.StopGrace = 50 * time.Millisecond })
	project := mint.NewProjectID()
	r.switches(project, fakeengine.Switches{IgnoreTerm: true})
	r.submit(project)
	before := r.info(project)
	if err := r.Stop(t.Context(), project, true); err != nil {
		t.Fatal(err)
	}
	if r.runs(before) {
		t.Fatal("the engine runs on")
	}
}

func TestForgetLeavesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	project := mint.NewProjectID()
	at := r.submit(project)
	job := r.accept(project, at)
	r.send(at, "POST", "/test/end", fakeengine.End{JobID: job, Status: api.JobCompleted}, nil)
	wait.Until(t, "the job is archived", func() bool { _, err := r.Events(t.Context(), job); return err == nil })
	before := r.info(project)
	if err := r.Forget(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	if r.runs(before) {
		t.Error("the engine runs on")
	}
	if _, err := r.Events(t.Context(), job); !errors.Is(err, engineproxy.ErrNotArchived) {
		t.Errorf("the archive still has the job: %v", err)
	}
	for _, dir := range []string{r.volume(project), r.runtime(project), r.state(project)} {
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%s is still there", dir)
		}
	}
}

// A list of unfinished jobs may have been read before the deletion and arrive
// after it, and so may a submission that was let in.
func TestForgottenProjectIsNeverStartedAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	project := mint.NewProjectID()
	r.accept(project, r.submit(project))
	stale, err := r.ledger.OpenJobs(t.Context(), project)
	if err != nil || len(stale) != 1 {
		t.Fatalf("unfinished: %+v, %v", stale, err)
	}
	if err := r.Forget(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	a := r.find(project)
	if err := a.do(t.Context(), func() { a.unfinished(stale) }); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Submit(t.Context(), engineproxy.Project{ID: project, OwnerID: "owner"}, time.Minute); !errors.Is(err, engineproxy.ErrAbsent) {
		t.Errorf("submitting: %v, want ErrAbsent", err)
	}
	if i := r.info(project); i.State != engineproxy.StateAbsent {
		t.Errorf("its engine is %s", i.State)
	}
	if _, err := os.Stat(r.volume(project)); !os.IsNotExist(err) {
		t.Error("its volume is there again")
	}
}

func TestLongDataDirectoryGetsAShortSocket(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) {
		o.DataDir += "/" + strings.Repeat("x", 85-len(o.DataDir)) // long enough for the sockets of engines only
	})
	project := mint.NewProjectID()
	at := r.submit(project)
	if len(at.Address) > peer.MaxSocketPath {
		t.Fatalf("socket path has %d bytes", len(at.Address))
	}
	r.close(KeepEngines)
	r.open()
	if err := r.AwaitReady(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	list, err := remote.NewOperator(r.options.DataDir).List(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatalf("operator sees %v, %v", list, err)
	}
	// Nothing of it stays in the system's temporary directory, whatever the
	// engine put there.
	if err := os.WriteFile(filepath.Join(filepath.Dir(at.Address), "left"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := remote.NewOperator(r.options.DataDir).Stop(t.Context(), project, false); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(at.Address)); !os.IsNotExist(err) {
		t.Errorf("the short socket's directory is still there: %v", err)
	}
	if again := r.submit(project); again.Address == at.Address {
		t.Errorf("the next engine has the same socket %s", again.Address)
	}
}

func TestOperatorListsAndStopsEngines(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	project := mint.NewProjectID()
	r.submit(project)
	op := remote.NewOperator(r.dir)
	list, err := op.List(t.Context())
	if err != nil || len(list) != 1 || list[0].ProjectID != project || !r.runs(list[0]) {
		t.Fatalf("got %+v, %v", list, err)
	}
	if err := op.Stop(t.Context(), project, false); err != nil {
		t.Fatal(err)
	}
	if r.runs(list[0]) {
		t.Fatal("the engine runs on")
	}
	if err := op.Stop(t.Context(), project, false); err != nil {
		t.Errorf("stopping one that was stopped: %v", err)
	}
	if err := op.Stop(t.Context(), mint.NewProjectID(), false); !errors.Is(err, engineproxy.ErrAbsent) {
		t.Errorf("stopping one that there never was: %v", err)
	}
	if err := op.Stop(t.Context(), "../x", false); err == nil {
		t.Fatal("a malformed project id was accepted")
	}
}
