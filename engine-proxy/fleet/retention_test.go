package fleet

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/wait"
)

func TestLostJobServesTheSnapshotOfItsLastBuild(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) {
		o.Timing.BackOff, o.Timing.BackOffMax, o.Timing.LostAfter = time.Millisecond, time.Millisecond, 2
	})
	project := mint.NewProjectID()
	at := r.submit(project)
	job := r.accept(project, at)
	game, files := zipped(t)
	r.send(at, http.MethodPost, "/test/stage", fakeengine.Stage{JobID: job, Stage: api.StageAuditing, Game: game}, nil)
	wait.Until(t, "the snapshot is kept", func() bool { return r.archive.HasSnapshot(project) })
	r.switches(project, fakeengine.Switches{ExitAtStart: 1})
	r.crash(at)
	wait.Until(t, "the job is ended", func() bool { _, ok := r.endOf(job); return ok })
	end, _ := r.endOf(job)
	if end.Failure.Code != api.FailureEngineLost || end.Files == nil || *end.Files != files {
		t.Fatalf("ended as %+v with files %+v", end.Failure, end.Files)
	}
	f, err := r.Files(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, game) {
		t.Fatalf("%d bytes, %v, want the snapshot", len(got), err)
	}
}

func TestEndedJobIsForgottenAfterItsTimeInLedgerAndArchive(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) {
		o.Retain, o.Timing.Sweep = time.Millisecond, 5*time.Millisecond
	})
	project := mint.NewProjectID()
	at := r.submit(project)
	job := r.accept(project, at)
	r.send(at, http.MethodPost, "/test/end", fakeengine.End{JobID: job, Status: api.JobCompleted}, nil)
	wait.Until(t, "it is applied", func() bool { return r.ledger.count() == 3 })
	wait.Until(t, "it is forgotten", func() bool {
		_, err := r.Events(t.Context(), job)
		return errors.Is(err, engineproxy.ErrNotArchived)
	})
	var asked time.Time
	r.ledger.with(func() { asked = r.ledger.expired })
	if asked.IsZero() {
		t.Fatal("the ledger was not asked to forget it")
	}
}

func TestPublishedJobStaysInTheArchiveUntilItIsTakenBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.Retain, o.Timing.Sweep = time.Millisecond, time.Hour })
	game, files := zipped(t)
	var jobs []string
	for range 2 {
		project := mint.NewProjectID()
		at := r.submit(project)
		job := r.accept(project, at)
		r.send(at, http.MethodPost, "/test/end", fakeengine.End{JobID: job, Status: api.JobCompleted, Files: &files, ZIP: game}, nil)
		jobs = append(jobs, job)
	}
	published, other := jobs[0], jobs[1]
	wait.Until(t, "both ends are applied", func() bool { return r.ledger.count() == 6 })
	gone := func(job string) bool {
		if err := r.sweepOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		f, err := r.Files(t.Context(), job)
		if err == nil {
			err = f.Close()
		}
		if err != nil && !errors.Is(err, engineproxy.ErrNotArchived) {
			t.Fatal(err)
		}
		return err != nil
	}
	r.ledger.with(func() { r.ledger.published = []string{published} })
	wait.Until(t, "the other is forgotten", func() bool { return gone(other) })
	if gone(published) {
		t.Fatal("the game that players get is gone")
	}
	r.ledger.with(func() { r.ledger.published = nil })
	wait.Until(t, "it is forgotten too", func() bool { return gone(published) })
}

// TestAnArchiveThatIsFullSparesTheJobsOfTheLastHour: their clients may not have come yet.
func TestAnArchiveThatIsFullSparesTheJobsOfTheLastHour(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.MaxArchive, o.Timing.Sweep = 1, time.Hour })
	project := mint.NewProjectID()
	at := r.submit(project)
	job := r.accept(project, at)
	r.send(at, http.MethodPost, "/test/end", fakeengine.End{JobID: job, Status: api.JobCompleted}, nil)
	wait.Until(t, "it is applied", func() bool { return r.ledger.count() == 3 })
	kept := func() bool {
		t.Helper()
		if err := r.sweepOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, err := r.Events(t.Context(), job)
		if err != nil && !errors.Is(err, engineproxy.ErrNotArchived) {
			t.Fatal(err)
		}
		return err == nil
	}
	if !kept() {
		t.Fatal("it went within its hour")
	}
	var before time.Time
	r.ledger.with(func() { before = r.ledger.expired })
	if age := time.Since(before); age < time.Hour || age > 2*time.Hour {
		t.Errorf("the ledger was asked to forget what ended %s ago, want an hour", age)
	}
}

func TestNothingIsForgottenWhileTheLedgerIsDown(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.Retain, o.Timing.Sweep = time.Millisecond, time.Hour })
	project := mint.NewProjectID()
	at := r.submit(project)
	job := r.accept(project, at)
	r.send(at, http.MethodPost, "/test/end", fakeengine.End{JobID: job, Status: api.JobCompleted}, nil)
	wait.Until(t, "it is applied", func() bool { return r.ledger.count() == 3 })
	r.ledger.with(func() { r.ledger.down = true })
	if err := r.sweepOnce(t.Context()); !errors.Is(err, errDown) {
		t.Fatalf("got %v, want the ledger's error", err)
	}
	if _, err := r.Events(t.Context(), job); err != nil {
		t.Fatalf("what the ledger may still need is gone: %v", err)
	}
}
