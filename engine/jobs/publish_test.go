package jobs_test

import (
	"errors"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/jobs"
)

func TestTheEndIsNotVisibleBeforeItsAcknowledgement(t *testing.T) {
	e := start(t, t.TempDir(), script(write))
	id := e.submit("patience")
	ended := e.until(contract.FeedEnded)
	log, err := e.Events(id)
	if err != nil {
		t.Fatal(err)
	}

	check := func(when string, e *engine) {
		t.Helper()
		stored, err := e.Stored(id)
		if err != nil || stored.Status != api.JobCompleted || stored.LastEventID != ended.Record.LastEventID {
			t.Errorf("%s: stored record %+v, %v", when, stored, err)
		}
		shown, err := e.Record(id)
		if err != nil || shown.Status != api.JobRunning || shown.Files != nil || shown.FinishedAt != nil ||
			shown.LastEventID != stored.LastEventID-1 || shown.Progress.Stage == api.StageDone {
			t.Errorf("%s: public record %+v, %v", when, shown, err)
		}
		log, err := e.Events(id)
		if err != nil {
			t.Fatal(err)
		}
		records, state, err := log.Read(0)
		if err != nil || state.Ended || state.Last != shown.LastEventID || uint64(len(records)) != shown.LastEventID {
			t.Errorf("%s: %d events, %+v, %v", when, len(records), state, err)
		}
		if _, err := e.Files(id, false); !errors.Is(err, jobs.ErrNoFiles) {
			t.Errorf("%s: public files: %v", when, err)
		}
		f, err := e.Files(id, true)
		if err != nil {
			t.Fatalf("%s: stored files: %v", when, err)
		}
		f.Close()
	}
	check("before", e)
	after := e.restart(script(write))
	check("after a restart", after)

	_, state, err := log.Read(ended.Record.LastEventID - 1)
	if err != nil || state.Changed == nil {
		t.Fatalf("waiting reader: %+v, %v", state, err)
	}
	after.ack(ended)
	if shown, err := after.Record(id); err != nil || shown.Status != api.JobCompleted {
		t.Errorf("public record after: %+v, %v", shown, err)
	}
	again, err := after.Events(id)
	if err != nil {
		t.Fatal(err)
	}
	records, state, err := again.Read(ended.Record.LastEventID - 1)
	if err != nil || !state.Ended || len(records) != 1 || records[0].Type != api.EventCompleted {
		t.Errorf("after: %+v, %+v, %v", records, state, err)
	}
}

func TestAPublicationWakesAWaitingReader(t *testing.T) {
	e := start(t, t.TempDir(), script(write))
	id := e.submit("waiting")
	ended := e.until(contract.FeedEnded)
	log, err := e.Events(id)
	if err != nil {
		t.Fatal(err)
	}
	_, state, err := log.Read(ended.Record.LastEventID - 1)
	if err != nil || state.Ended {
		t.Fatalf("Read: %+v, %v", state, err)
	}
	e.ack(ended)
	<-state.Changed
	records, state, err := log.Read(ended.Record.LastEventID - 1)
	if err != nil || len(records) != 1 || !state.Ended {
		t.Errorf("Read: %d records, %+v, %v", len(records), state, err)
	}
}
