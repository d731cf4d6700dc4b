package contract

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	wire "github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/test/wait"
)

var feedCases = []named{
	{"PricedStepWaitsForItsLeave", pricedStepWaits},
	{"EndWaitsForTheLastCharge", endWaits},
	{"EndIsHiddenUntilItIsAcknowledged", endIsHidden},
	{"StopEndsAJobBeforeItsStep", stopBefore},
	{"StopAfterTheStepKeepsTheFiles", stopAfter},
	{"StopPassesOverWhatHasEndedOrIsUnknown", stopPassesOver},
	{"PositionsAndFeedsAreChecked", positionsAreChecked},
	{"NoRecordIsGoneBeforeItIsAcknowledged", goneOnlyWhenAcknowledged},
	{"AcknowledgementIsOnDisk", acknowledgementIsOnDisk},
	{"RecordsAreTheSameWhenTheyAreReadAgain", recordsAreTheSame},
}

// quiet is how long nothing must come, where waiting is the promise.
const quiet = time.Second

// idle fails the test when a record comes that must wait.
func (l *ledger) idle(kinds ...wire.FeedKind) {
	l.e.t.Helper()
	for deadline := time.Now().Add(quiet); ; {
		rec, ok := l.next(time.Until(deadline))
		if !ok {
			return
		}
		for _, kind := range kinds {
			if rec.Kind == kind {
				l.e.t.Errorf("record %d, %s, did not wait", rec.Seq, rec.Kind)
			}
		}
	}
}

func pricedStepWaits(t *testing.T, target Target) {
	e := startEngine(t, target)
	l := e.reads()
	id := e.accept()
	if l.until(wire.FeedStarted, id).Next == "" {
		t.Skip("the engine has no priced step")
	}
	l.idle(wire.FeedUsage, wire.FeedEnded)
	if r := e.status(id); r.Status != api.JobRunning {
		t.Errorf("while it waits the job is %s", r.Status)
	}
	l.ack()
	if rec := l.until(wire.FeedUsage, id); len(rec.Units) == 0 || rec.Units[0].Quantity <= 0 || rec.Units[0].Name == "" {
		t.Errorf("the charge is %+v", rec.Units)
	}
}

func endWaits(t *testing.T, target Target) {
	e := startEngine(t, target)
	l := e.reads()
	id := e.accept()
	l.untilCharged(id)
	l.idle(wire.FeedEnded)
	l.ack()
	l.finish(id)
}

func endIsHidden(t *testing.T, target Target) {
	e := startEngine(t, target)
	l := e.reads()
	id := e.accept()
	record := *l.until(wire.FeedEnded, id).Record
	for _, when := range []string{"at once", "after a kill"} {
		if got := e.status(id); got.Status.Terminal() || got.Files != nil || got.FinishedAt != nil || got.Failure != nil || got.LastEventID != record.LastEventID-1 {
			t.Errorf("%s the status shows the end: %+v", when, got)
		}
		e.expectError(when+" the files", e.get(e.route(id, "/files")), http.StatusConflict)
		e.checkArchive(record, e.stored(id, "files").body)
		e.checkTerminal(record, e.storedEvents(id))
		if got := decode[wire.JobRecord](e, e.stored(id, "record")); got.Status != record.Status {
			t.Errorf("%s the stored record is %s", when, got.Status)
		}
		e.restart()
	}
	l.rewind()
	l.finish(id)
	if got := e.status(id); got.Status != record.Status || got.LastEventID != record.LastEventID {
		t.Errorf("acknowledged, the status is %+v", got)
	}
	_, records := e.stream(id, nil, "")
	e.checkStream("acknowledged", id, 0, records)
}

func stopBefore(t *testing.T, target Target) {
	e := startEngine(t, target)
	l := e.reads()
	id, waiting := e.accept(), e.accept()
	l.until(wire.FeedStarted, id)
	l.ack(wire.Stop{JobID: id, Code: api.FailureTIKExhausted}, wire.Stop{JobID: waiting, Code: api.FailureEngineLost})
	ended := map[string]wire.JobRecord{}
	for len(ended) < 2 {
		rec := l.must()
		switch rec.Kind {
		case wire.FeedUsage:
			t.Errorf("a stopped job was charged: %+v", rec)
		case wire.FeedEnded:
			ended[rec.JobID] = *rec.Record
		}
		l.ack()
	}
	if r := ended[id]; r.Status != api.JobFailed || failure(r) != api.FailureTIKExhausted {
		t.Errorf("the running job: %+v", r)
	}
	if r := ended[waiting]; r.Status != api.JobFailed || failure(r) != api.FailureEngineLost || r.StartedAt != nil {
		t.Errorf("the waiting job: %+v", r)
	}
}

func stopAfter(t *testing.T, target Target) {
	e := startEngine(t, target)
	l := e.reads()
	id := e.accept()
	l.untilCharged(id)
	l.ack(wire.Stop{JobID: id, Code: api.FailureTIKExhausted})
	record := l.finish(id)
	if record.Status != api.JobFailed || failure(record) != api.FailureTIKExhausted || record.Files == nil || record.Files.Count == 0 {
		t.Fatalf("the job: %+v", record)
	}
	e.checkArchive(record, e.expect("files", e.get(e.route(id, "/files")), http.StatusOK).body)
}

func stopPassesOver(t *testing.T, target Target) {
	e := startEngine(t, target)
	l := e.reads()
	id := e.accept()
	l.until(wire.FeedEnded, id)
	l.ack(wire.Stop{JobID: id, Code: api.FailureInternal}, wire.Stop{JobID: api.NewJobID(time.Now()), Code: api.FailureInternal})
	if got := e.status(id); got.Status != api.JobCompleted {
		t.Errorf("a job that had ended is %+v", got)
	}
}

func positionsAreChecked(t *testing.T, target Target) {
	e := startEngine(t, target)
	l := e.reads()
	l.finish(e.accept())
	e.expectError("reading above the newest record", e.get(fmt.Sprintf("%s?after=%d", wire.PathFeed, l.seq+1)), http.StatusConflict)
	e.expectError("reading after no number", e.get(wire.PathFeed+"?after=x"), http.StatusBadRequest)
	e.expectError("acknowledging above the newest record", e.post(wire.PathAck, wire.Ack{FeedID: l.feedID, Seq: l.seq + 1}), http.StatusConflict)
	e.expectError("acknowledging another feed", e.post(wire.PathAck, wire.Ack{FeedID: "feed_other", Seq: 1}), http.StatusConflict)
	e.expect("acknowledging again", e.post(wire.PathAck, wire.Ack{FeedID: l.feedID, Seq: 1}), http.StatusOK)
	if a := decode[wire.Activity](e, e.get(wire.PathActivity)); a.UnackedFeed != 0 {
		t.Errorf("an old acknowledgement took a newer one back: %+v", a)
	}
}

func acknowledgementIsOnDisk(t *testing.T, target Target) {
	e := startEngine(t, target)
	l := e.reads()
	first := e.accept()
	l.finish(first)
	e.restart()
	if a := decode[wire.Activity](e, e.get(wire.PathActivity)); a.UnackedFeed != 0 {
		t.Errorf("after a kill %d records wait", a.UnackedFeed)
	}
	if got := e.status(first); !got.Status.Terminal() {
		t.Errorf("after a kill the end is hidden again: %+v", got)
	}
	l.finish(e.accept()) // which follows without a gap
}

func recordsAreTheSame(t *testing.T, target Target) {
	e := startEngine(t, target)
	l := e.reads()
	id := e.accept()
	l.untilCharged(id)
	l.rewind()
	l.until(wire.FeedUsage, id)
	e.restart()
	l.rewind()
	l.finish(id)
}

func goneOnlyWhenAcknowledged(t *testing.T, target Target) {
	e := startEngine(t, target)
	l := e.reads()
	for range 2 {
		l.finish(e.accept())
	}
	waits := e.accept()
	l.until(wire.FeedStarted, waits) // and is not acknowledged
	for _, when := range []string{"at first", "after a kill"} {
		there := false
		for after := uint64(0); after < l.seq; after++ {
			status := e.feedStatus(after)
			switch {
			case status == http.StatusOK:
				there = true
			case status != http.StatusGone:
				t.Errorf("%s the feed after %d: %d", when, after, status)
			case there || after >= l.acked:
				t.Errorf("%s the feed after %d is gone; %d is acknowledged", when, after, l.acked)
			}
		}
		l.leave()
		e.restart()
	}
}

// feedStatus returns how the feed above a record is answered.
func (e *engine) feedStatus(after uint64) int {
	e.t.Helper()
	ctx, cancel := wait.Context(e.t)
	defer cancel()
	res, err := e.open(ctx, call{path: fmt.Sprintf("%s?after=%d", wire.PathFeed, after)})
	if err != nil {
		e.t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}
