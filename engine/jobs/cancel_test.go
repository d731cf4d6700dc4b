package jobs_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/jobs"
)

func TestCancellingAQueuedJobEndsItAtOnce(t *testing.T) {
	entered, release := make(chan string, 1), make(chan struct{})
	e := start(t, t.TempDir(), until(entered, release))
	first, second := e.submit("first"), e.submit("second")
	e.ack(e.until(contract.FeedStarted))
	<-entered

	record, err := e.Cancel(t.Context(), second)
	if err != nil || record.Status != api.JobCancelled || record.StartedAt != nil || record.Files != nil {
		t.Fatalf("Cancel: %+v, %v", record, err)
	}
	ended := e.until(contract.FeedEnded)
	if ended.JobID != second || ended.Record.Status != api.JobCancelled {
		t.Errorf("feed: %+v", ended)
	}
	e.ack(ended)
	if got, want := types(e.events(second)), []string{api.EventQueued, api.EventCancelled}; !slices.Equal(got, want) {
		t.Errorf("events: %v, want %v", got, want)
	}
	close(release)
	if record := e.finish(first); record.Status != api.JobCompleted {
		t.Errorf("the running job: %+v", record)
	}
}

func TestCancellingARunningJobEndsItWithoutFiles(t *testing.T) {
	entered := make(chan string, 1)
	e := start(t, t.TempDir(), until(entered, nil))
	id := e.submit("endless")
	e.ack(e.until(contract.FeedStarted))
	<-entered
	record, err := e.Cancel(t.Context(), id)
	if err != nil || record.Status != api.JobCancelled {
		t.Fatalf("Cancel: %+v, %v", record, err)
	}
	e.finish(id)
	if _, err := e.Files(id, true); !errors.Is(err, jobs.ErrNoFiles) {
		t.Errorf("Files: %v", err)
	}
}

func TestAGeneratorThatIgnoresTheCancellationIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		awake := make(chan struct{})
		calls := make(chan string, 2)
		e := start(t, t.TempDir(), script(func(ctx context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error) {
			calls <- req.JobID
			if req.Prompt == "deaf" {
				<-awake
				rep.Progress(api.StageBuilding, 90, "too late")
			}
			return gen.Result{}, nil
		}))
		deaf, next := e.submit("deaf"), e.submit("next")
		e.ack(e.until(contract.FeedStarted))
		<-calls
		began := time.Now()
		record, err := e.Cancel(t.Context(), deaf)
		if err != nil || record.Status != api.JobCancelled {
			t.Fatalf("Cancel: %+v, %v", record, err)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("cancelling took %s", took)
		}
		e.finish(deaf)
		synctest.Wait()
		if len(calls) > 0 {
			t.Error("two generators ran at once")
		}
		close(awake)
		e.finish(next)
		if got := types(e.events(deaf)); got[len(got)-1] != api.EventCancelled {
			t.Errorf("events after the end: %v", got)
		}
		e.stop()
	})
}

func TestAGeneratorThatNeverStopsCostsNoOtherJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := make(chan struct{})
		e := open(t, t.TempDir(), script(func(context.Context, gen.Request, gen.Reporter) (gen.Result, error) {
			<-never
			return gen.Result{}, nil
		}))
		ran := make(chan error, 1)
		go func() { ran <- e.Run(t.Context()) }()
		deaf, next := e.submit("deaf"), e.submit("next")
		e.ack(e.until(contract.FeedStarted))
		synctest.Wait()
		if _, err := e.Cancel(t.Context(), deaf); err != nil {
			t.Fatalf("Cancel: %v", err)
		}
		e.finish(deaf)
		select {
		case err := <-ran:
			if err == nil {
				t.Error("Run ended as if nothing was wrong")
			}
		case <-time.After(time.Minute): // of the bubble's clock
			t.Error("the engine works on beside a generator that does not stop")
		}
		close(never) // as the end of the process would
		if err := e.Close(); err != nil {
			t.Fatalf("Close: %v", err)
		}
		again := start(t, e.dir, script(write))
		again.last = e.last
		if record := again.finish(next); record.Status != api.JobCompleted {
			t.Errorf("the job that waited: %+v", record)
		}
		again.stop()
	})
}

func TestCancellingAnEndedJobChangesNothing(t *testing.T) {
	e := start(t, t.TempDir(), script(write))
	id := e.submit("done")
	e.finish(id)
	record, err := e.Cancel(t.Context(), id)
	if err != nil || record.Status != api.JobCompleted {
		t.Errorf("Cancel: %+v, %v", record, err)
	}
	if _, err := e.Cancel(t.Context(), mint.NewJobID(time.Now())); !errors.Is(err, jobs.ErrUnknown) {
		t.Errorf("cancelling an unknown job: %v", err)
	}
}

func TestAnEndIsReportedOnlyAfterThePricedStepIsAcknowledged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, t.TempDir(), script(write))
		id := e.submit("charged")
		usage := e.until(contract.FeedUsage)
		if record, err := e.Cancel(t.Context(), id); err != nil || record.Status != api.JobCancelled {
			t.Fatalf("Cancel: %+v, %v", record, err)
		}
		synctest.Wait()
		if lines, _, err := e.Feed(usage.Seq); err != nil || len(lines) > 0 {
			t.Errorf("feed before the acknowledgement: %s, %v", lines, err)
		}
		e.ack(usage)
		if record := e.finish(id); record.Status != api.JobCancelled {
			t.Errorf("record: %+v", record)
		}
		e.stop()
	})
}

func TestAStopEndsAQueuedJobAndIgnoresAnEndedOne(t *testing.T) {
	entered, release := make(chan string, 1), make(chan struct{})
	e := start(t, t.TempDir(), until(entered, release))
	first, second := e.submit("first"), e.submit("second")
	started := e.until(contract.FeedStarted)
	e.ack(started, contract.Stop{JobID: second, Code: api.FailureInternal}, contract.Stop{JobID: "job_unknown", Code: api.FailureInternal})
	<-entered
	ended := e.until(contract.FeedEnded)
	if ended.JobID != second || ended.Record.Failure.Code != api.FailureInternal {
		t.Errorf("feed: %+v", ended)
	}
	e.ack(ended, contract.Stop{JobID: second, Code: api.FailureTIKExhausted})
	close(release)
	e.finish(first)
	if record, err := e.Record(second); err != nil || record.Failure.Code != api.FailureInternal {
		t.Errorf("record: %+v, %v", record, err)
	}
}
