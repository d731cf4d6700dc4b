package contract

import (
	"net/http"
	"testing"

	"github.com/svc-games/svc/api"
	wire "github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/test/wait"
)

var killCases = []named{
	{"RunningJobFailsAsRestartedAndTheQueueGoesOn", running(queueGoesOn)},
	{"JobEndsOnceWhereverItWaits", endsOnceWhereverItWaits},
	{"NothingIsLostAtAnyWriteOfAJob", nothingLostInAJob},
	{"NothingIsLostAtAnyWriteOfARecovery", nothingLostInARecovery},
}

func queueGoesOn(t *testing.T, e *engine) {
	running := e.begin()
	e.feed.ack()
	wait.Until(t, "the job works", func() bool { return e.status(running).LastEventID > 2 })
	first, second := e.accept(), e.accept()
	e.restart()
	ended := e.feed.awaitEnds(running, first, second)
	e.checkFailed("the running job", ended[running], api.FailureEngineRestarted)
	e.checkEnded(ended[running])
	for _, id := range []string{first, second} {
		e.checkCompleted("the waiting job", ended[id])
	}
	if !ended[first].StartedAt.Before(*ended[second].StartedAt) {
		t.Error("the queue lost its order")
	}
}

// checkCompleted proves that a job completed.
func (e *engine) checkCompleted(what string, record wire.JobRecord) {
	e.t.Helper()
	if record.Status != api.JobCompleted {
		e.t.Errorf("%s: %+v", what, record)
	}
}

// checkFailed proves that a job failed, and why.
func (e *engine) checkFailed(what string, record wire.JobRecord, code api.FailureCode) {
	e.t.Helper()
	if record.Status != api.JobFailed || failure(record) != code {
		e.t.Errorf("%s: %+v, want %s", what, record, code)
	}
}

// checkEnded proves that what an ended job left is whole.
func (e *engine) checkEnded(record wire.JobRecord) {
	e.t.Helper()
	events := e.storedEvents(record.JobID)
	e.checkTerminal(record, events)
	if uint64(len(events)) != record.LastEventID {
		e.t.Errorf("%d events, and lastEventId is %d", len(events), record.LastEventID)
	}
	a := e.get(e.route(record.JobID, "/files"))
	if record.Status == api.JobCancelled {
		e.expectError("files of a cancelled job", a, http.StatusConflict)
		return
	}
	e.checkArchive(record, e.expect("files", a, http.StatusOK).body)
}

func endsOnceWhereverItWaits(t *testing.T, target Target) {
	for _, hold := range []struct {
		name   string
		to     func(e *engine, id string)
		status api.JobStatus
	}{
		{"in the queue", func(*engine, string) {}, ""},
		{"for the acknowledgement of its start", func(e *engine, id string) { e.feed.until(wire.FeedStarted, id) }, api.JobFailed},
		{"for that of its charge", func(e *engine, id string) { e.feed.untilCharged(id) }, api.JobFailed},
		{"for that of its end", func(e *engine, id string) { e.feed.until(wire.FeedEnded, id) }, api.JobCompleted},
	} {
		t.Run(hold.name, func(t *testing.T) {
			e := startEngine(t, target)
			id := e.accept()
			hold.to(e, id)
			e.restart()
			e.feed.rewind()
			record := e.feed.awaitEnds(id)[id]
			if hold.status != "" && record.Status != hold.status {
				t.Errorf("the job is %s", record.Status)
			}
			e.checkEnded(record)
			e.restart()
			if a := e.activity(); a.Busy() {
				t.Errorf("after another kill there is work: %+v", a)
			}
			if got := e.status(id); got.Status != record.Status || got.LastEventID != record.LastEventID {
				t.Errorf("after another kill the job is %+v", got)
			}
		})
	}
}
