package contract

import (
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	wire "github.com/svc-games/svc/api/contract"
)

// startStuck starts an engine whose work never ends.
func startStuck(t *testing.T, target Target) *engine {
	t.Helper()
	if target.Stuck == nil {
		t.Skip("Target.Stuck says how to make the engine's work last")
	}
	e := newEngine(t, target)
	e.stuck = true
	e.start()
	return e
}

func takesTooLong(t *testing.T, target Target) {
	e := startStuck(t, target)
	id, next := e.accept(), e.accept()
	e.feed.until(wire.FeedStarted, id)
	began := time.Now() // before its leave, after which this test may come late
	e.feed.ack()
	record := e.feed.finish(id)
	if took := time.Since(began); took < target.StuckFor/2 || took > target.StuckFor+2*time.Second+target.Slack {
		t.Errorf("it ended after %s, and may take %s", took, target.StuckFor)
	}
	e.checkTimeout(record)
	e.checkTimeout(e.feed.finish(next)) // which was not held up by the first one's work
}

// checkTimeout proves that a job failed for want of time, and costs nothing.
func (e *engine) checkTimeout(record wire.JobRecord) {
	e.t.Helper()
	e.checkFailed("the job", record, api.FailureTimeout)
	e.checkEnded(record)
	for _, line := range e.feed.seen {
		if rec := decode[wire.FeedRecord](e, answer{body: line}); rec.Kind == wire.FeedUsage {
			e.t.Errorf("a step that was not done is charged: %s", line)
		}
	}
}

func waitingIsNotWork(t *testing.T, target Target) {
	e := startStuck(t, target)
	id := e.begin()
	for begun := time.Now(); time.Since(begun) < target.StuckFor+quiet; {
		if rec, ok := e.feed.next(quiet); ok && rec.Kind == wire.FeedEnded {
			t.Fatalf("the job ended while it waited: %+v", rec.Record)
		}
	}
	if got := e.status(id); got.Status != api.JobRunning {
		t.Fatalf("the job is %+v", got)
	}
	began := time.Now()
	e.feed.ack()
	e.checkTimeout(e.feed.finish(id))
	if took := time.Since(began); took < target.StuckFor/2 {
		t.Errorf("it ended %s after its leave, and may take %s", took, target.StuckFor)
	}
}
