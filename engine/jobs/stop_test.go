package jobs_test

import (
	"context"
	"errors"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/jobs"
	"github.com/svc-games/svc/test/wait"
)

// TestAJobEndsAfterItsStep: nothing of the step is broken off, and what was written is kept.
func TestAJobEndsAfterItsStep(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	e := start(t, t.TempDir(), script(func(ctx context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error) {
		if req.Prompt != "steps" {
			return write(ctx, req, rep)
		}
		rep.Progress(api.StageWriting, 10, "step 1")
		close(entered)
		<-release
		if ctx.Err() != nil {
			t.Error("the step was broken off")
		}
		rep.Progress(api.StageWriting, 20, "step 2")
		<-ctx.Done()
		return gen.Result{Written: map[string][]byte{"index.html": []byte("half")}}, context.Cause(ctx)
	}))
	e.finish(e.submit("before"))
	id, waits, next := e.submit("steps"), e.submit("waits"), e.submit("next")
	e.ack(e.until(contract.FeedStarted))
	wait.For(t, "the step", entered)
	for _, one := range []string{id, waits} {
		if err := e.StopAfterStep(one); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.StopAfterStep("job_unknown"); !errors.Is(err, jobs.ErrUnknown) {
		t.Errorf("an unknown job: %v", err)
	}
	close(release)
	for _, one := range []string{waits, id} {
		if record := e.finish(one); record.Status != api.JobCancelled {
			t.Errorf("%+v", record)
		}
	}
	if record := e.finish(next); record.Status != api.JobCompleted {
		t.Errorf("the next one: %+v", record)
	}
	list := e.Revisions().Revisions
	if len(list) != 3 || list[1].Kind != "draft" || !list[1].Unproven || list[1].Job != id || list[0].Unproven {
		t.Fatalf("%+v", list)
	}
	if text, err := e.File("index.html", list[1].ID); string(text) != "half" {
		t.Errorf("the draft has %q, %v", text, err)
	}
	if _, err := e.RestoreTo(t.Context(), list[1].ID, list[0].ID); err != nil || !e.Revisions().Revisions[0].Unproven {
		t.Errorf("restored: %+v, %v", e.Revisions().Revisions[0], err)
	}
}

// TestAJobThatHasEndedLeavesItsFilesFree: who stopped it can go back at once, before the
// ledger has heard of its end.
func TestAJobThatHasEndedLeavesItsFilesFree(t *testing.T) {
	entered := make(chan struct{})
	e := start(t, t.TempDir(), script(func(ctx context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error) {
		if req.Prompt == "first" {
			return write(ctx, req, rep)
		}
		entered <- struct{}{}
		<-ctx.Done()
		return gen.Result{Written: map[string][]byte{"index.html": []byte("half")}}, context.Cause(ctx)
	}))
	e.finish(e.submit("first"))
	first := e.Revisions().Revisions[0].ID
	for range 20 {
		id := e.submit("another")
		e.ack(e.until(contract.FeedStarted))
		wait.For(t, "the job", entered)
		if record, err := e.Cancel(t.Context(), id); err != nil || record.Status != api.JobCancelled {
			t.Fatalf("%+v, %v", record, err)
		}
		if _, err := e.RestoreTo(t.Context(), first, e.Revisions().Revisions[0].ID); err != nil && !errors.Is(err, jobs.ErrOldHead) {
			t.Fatal(err)
		}
	}
}

// TestAProjectThatHasDraftsAloneGoesBackToOne: it has no newest version to be named.
func TestAProjectThatHasDraftsAloneGoesBackToOne(t *testing.T) {
	e := start(t, t.TempDir(), script(func(context.Context, gen.Request, gen.Reporter) (gen.Result, error) {
		return gen.Result{Written: map[string][]byte{"index.html": []byte("half")}}, errors.New("broken for the test")
	}))
	e.finish(e.submit("a game"))
	space, err := e.Workspace()
	list := e.Revisions().Revisions
	if err != nil || space.Head != 0 || len(list) != 1 || list[0].Kind != "draft" {
		t.Fatalf("%+v, %v; %+v", space, err, list)
	}
	if _, err := e.RestoreTo(t.Context(), list[0].ID, list[0].ID); !errors.Is(err, jobs.ErrOldHead) {
		t.Errorf("a draft is taken for the newest version: %v", err)
	}
	saved, err := e.RestoreTo(t.Context(), list[0].ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := e.File("index.html", 0); string(text) != "half" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := e.RestoreTo(t.Context(), list[0].ID, 0); !errors.Is(err, jobs.ErrOldHead) {
		t.Errorf("what came meanwhile is passed over: %v", err)
	}
	if again, err := e.RestoreTo(t.Context(), list[0].ID, saved.Head); err != nil {
		t.Errorf("%+v, %v", again, err)
	}
}
