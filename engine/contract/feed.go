package contract

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	wire "github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/test/wait"
)

var feedCases = []named{
	{"PricedStepWaitsForItsLeave", running(pricedStepWaits)},
	{"EndWaitsForTheLastCharge", running(endWaits)},
	{"EndIsHiddenUntilItIsAcknowledged", running(endIsHidden)},
	{"StopEndsAJobBeforeItsStep", running(stopBefore)},
	{"StopAfterTheStepKeepsTheFiles", running(stopAfter)},
	{"StopPassesOverWhatHasEndedOrIsUnknown", running(stopPassesOver)},
	{"PositionsAndFeedsAreChecked", running(positionsAreChecked)},
	{"NoRecordIsGoneBeforeItIsAcknowledged", running(goneOnlyWhenAcknowledged)},
	{"AcknowledgementIsOnDisk", running(acknowledgementIsOnDisk)},
	{"RecordsAreTheSameWhenTheyAreReadAgain", running(recordsAreTheSame)},
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

func pricedStepWaits(t *testing.T, e *engine) {
	id := e.accept()
	if e.feed.until(wire.FeedStarted, id).Next == "" {
		t.Skip("the engine has no priced step")
	}
	e.feed.idle(wire.FeedUsage, wire.FeedEnded)
	if r := e.status(id); r.Status != api.JobRunning {
		t.Errorf("while it waits the job is %s", r.Status)
	}
	e.feed.ack()
	if rec := e.feed.until(wire.FeedUsage, id); len(rec.Units) == 0 || rec.Units[0].Quantity <= 0 || rec.Units[0].Name == "" {
		t.Errorf("the charge is %+v", rec.Units)
	}
}

func endWaits(t *testing.T, e *engine) {
	id := e.accept()
	e.feed.untilCharged(id)
	e.feed.idle(wire.FeedEnded)
	e.feed.ack()
	e.feed.finish(id)
}

func endIsHidden(t *testing.T, e *engine) {
	id := e.accept()
	record := *e.feed.until(wire.FeedEnded, id).Record
	for _, when := range []string{"at once", "after a kill"} {
		if got := e.status(id); got.Status.Terminal() || got.Files != nil || got.FinishedAt != nil || got.Failure != nil || got.LastEventID != record.LastEventID-1 {
			t.Errorf("%s the status shows the end: %+v", when, got)
		}
		e.expectError(when+" the files", e.get(e.route(id, "/files")), http.StatusConflict)
		e.checkArchive(record, e.stored(id, "files").body)
		e.checkTerminal(record, e.storedEvents(id))
		if got := e.record(id); got.Status != record.Status {
			t.Errorf("%s the stored record is %s", when, got.Status)
		}
		e.restart()
	}
	e.feed.rewind()
	e.feed.finish(id)
	if got := e.status(id); got.Status != record.Status || got.LastEventID != record.LastEventID {
		t.Errorf("acknowledged, the status is %+v", got)
	}
	_, records := e.stream(id, nil, "")
	e.checkStream("acknowledged", id, 0, records)
}

func stopBefore(t *testing.T, e *engine) {
	id, waiting := e.accept(), e.accept()
	e.feed.until(wire.FeedStarted, id)
	e.feed.ack(wire.Stop{JobID: id, Code: api.FailureTIKExhausted}, wire.Stop{JobID: waiting, Code: api.FailureEngineLost})
	ended := map[string]wire.JobRecord{}
	for len(ended) < 2 {
		rec := e.feed.must()
		switch rec.Kind {
		case wire.FeedUsage:
			t.Errorf("a stopped job was charged: %+v", rec)
		case wire.FeedEnded:
			ended[rec.JobID] = *rec.Record
		}
		e.feed.ack()
	}
	e.checkFailed("the running job", ended[id], api.FailureTIKExhausted)
	e.checkFailed("the waiting job", ended[waiting], api.FailureEngineLost)
	if at := ended[waiting].StartedAt; at != nil {
		t.Errorf("the waiting job started at %v", at)
	}
}

func stopAfter(t *testing.T, e *engine) {
	id := e.accept()
	e.feed.untilCharged(id)
	e.feed.ack(wire.Stop{JobID: id, Code: api.FailureTIKExhausted})
	record := e.feed.finish(id)
	e.checkFailed("the job", record, api.FailureTIKExhausted)
	if record.Files == nil || record.Files.Count == 0 {
		t.Fatalf("the job has no files: %+v", record)
	}
	e.checkArchive(record, e.expect("files", e.get(e.route(id, "/files")), http.StatusOK).body)
}

func stopPassesOver(t *testing.T, e *engine) {
	id := e.accept()
	e.feed.until(wire.FeedEnded, id)
	e.feed.ack(wire.Stop{JobID: id, Code: api.FailureInternal}, wire.Stop{JobID: mint.NewJobID(time.Now()), Code: api.FailureInternal})
	e.checkCompleted("a job that had ended", e.status(id))
}

func positionsAreChecked(t *testing.T, e *engine) {
	e.feed.finish(e.accept())
	e.expectError("reading above the newest record", e.get(fmt.Sprintf("%s?after=%d", wire.PathFeed, e.feed.seq+1)), http.StatusConflict)
	e.expectError("reading after no number", e.get(wire.PathFeed+"?after=x"), http.StatusBadRequest)
	e.expectError("acknowledging above the newest record", e.post(wire.PathAck, wire.Ack{FeedID: e.feed.feedID, Seq: e.feed.seq + 1}), http.StatusConflict)
	e.expectError("acknowledging another feed", e.post(wire.PathAck, wire.Ack{FeedID: "feed_other", Seq: 1}), http.StatusConflict)
	e.expect("acknowledging again", e.post(wire.PathAck, wire.Ack{FeedID: e.feed.feedID, Seq: 1}), http.StatusOK)
	if a := e.activity(); a.UnackedFeed != 0 {
		t.Errorf("an old acknowledgement took a newer one back: %+v", a)
	}
}

func acknowledgementIsOnDisk(t *testing.T, e *engine) {
	first := e.accept()
	e.feed.finish(first)
	e.restart()
	if a := e.activity(); a.UnackedFeed != 0 {
		t.Errorf("after a kill %d records wait", a.UnackedFeed)
	}
	if got := e.status(first); !got.Status.Terminal() {
		t.Errorf("after a kill the end is hidden again: %+v", got)
	}
	e.feed.finish(e.accept()) // which follows without a gap
}

func recordsAreTheSame(t *testing.T, e *engine) {
	id := e.accept()
	e.feed.untilCharged(id)
	e.feed.rewind()
	e.feed.until(wire.FeedUsage, id)
	e.restart()
	e.feed.rewind()
	e.feed.finish(id)
}

func goneOnlyWhenAcknowledged(t *testing.T, e *engine) {
	for range 2 {
		e.feed.finish(e.accept())
	}
	e.begin() // which is not acknowledged
	for _, when := range []string{"at first", "after a kill"} {
		there := false
		for after := uint64(0); after < e.feed.seq; after++ {
			status := e.feedStatus(after)
			switch {
			case status == http.StatusOK:
				there = true
			case status != http.StatusGone:
				t.Errorf("%s the feed after %d: %d", when, after, status)
			case there || after >= e.feed.acked:
				t.Errorf("%s the feed after %d is gone; %d is acknowledged", when, after, e.feed.acked)
			}
		}
		e.feed.leave()
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
