package contract

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	wire "github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/test/wait"
)

var jobCases = []named{
	{"BriefBecomesAGame", running(briefBecomesGame)},
	{"RunOneAtATimeInOrderOfAcceptance", running(runInOrder)},
	{"CancelledWithinTwoSecondsAtEveryStep", cancelledInTime},
	{"EndedJobIsLeftAsItIs", running(endedIsLeft)},
	{"UnknownJobIsNotFound", running(unknownIsNotFound)},
	{"ContextEndsWithItsJob", contextEnds},
	{"WhatAnAcceptedJobChangesForGoodStays", lastingChangeStays},
	{"WorkThatTakesTooLongFailsAsTimeout", takesTooLong},
	{"WaitingForLeaveIsNotCountedAsWork", waitingIsNotWork},
}

func briefBecomesGame(t *testing.T, e *engine) {
	id := e.accept()
	started := e.feed.until(wire.FeedStarted, id)
	if r := started.Record; r == nil || r.Status != api.JobRunning || r.StartedAt == nil || r.FinishedAt != nil {
		t.Errorf("the record at its start: %+v", r)
	}
	e.feed.ack()
	record := e.feed.finish(id)
	if record.Status != api.JobCompleted || record.Progress.Stage != api.StageDone || record.Progress.Percent != 100 {
		t.Fatalf("the record at its end: %+v", record)
	}
	if record.Files == nil || record.Files.Count == 0 || record.FinishedAt == nil || record.StartedAt == nil || record.StartedAt.Before(record.CreatedAt) || record.FinishedAt.Before(*record.StartedAt) {
		t.Errorf("the record at its end: %+v", record)
	}
	if got := e.status(id); got.Status != record.Status || got.LastEventID != record.LastEventID || got.Files == nil || *got.Files != *record.Files {
		t.Errorf("the status is %+v, the feed said %+v", got, record)
	}
	// The end is told before the engine turns to what comes next.
	var a wire.Activity
	wait.Until(t, "the engine is at rest", func() bool {
		a = e.activity()
		return !a.Busy()
	})
	if a.LastActivity.IsZero() {
		t.Errorf("the activity at rest: %+v", a)
	}
}

func runInOrder(t *testing.T, e *engine) {
	var ids []string
	for range 3 {
		ids = append(ids, e.accept())
	}
	var order []string
	running := ""
	for ended := 0; ended < len(ids); {
		rec := e.feed.must()
		switch rec.Kind {
		case wire.FeedStarted:
			if running != "" {
				t.Errorf("%s started while %s ran", rec.JobID, running)
			}
			running = rec.JobID
			order = append(order, running)
			for _, id := range ids[len(order):] {
				if s := e.status(id).Status; s != api.JobQueued {
					t.Errorf("%s is %s while %s runs", id, s, running)
				}
			}
		case wire.FeedEnded:
			running = ""
			ended++
		}
		e.feed.ack()
	}
	if !slices.Equal(order, ids) {
		t.Errorf("accepted %v, ran %v", ids, order)
	}
}

// cancelLimit is how long a cancellation may take.
const cancelLimit = 2 * time.Second

func cancelledInTime(t *testing.T, target Target) {
	for _, step := range []struct {
		name string
		to   func(e *engine, id string)
	}{
		{"before the start is acknowledged", func(e *engine, id string) { e.feed.until(wire.FeedStarted, id) }},
		{"at the first step", func(e *engine, id string) { e.feed.until(wire.FeedStarted, id); e.feed.ack() }},
		{"at work", func(e *engine, id string) {
			e.feed.until(wire.FeedStarted, id)
			e.feed.ack()
			wait.Until(e.t, "the job works", func() bool { return e.status(id).LastEventID > 3 })
		}},
		{"before the charge is acknowledged", func(e *engine, id string) { e.feed.untilCharged(id) }},
	} {
		t.Run(step.name, func(t *testing.T) {
			e := startEngine(t, target)
			id, waiting := e.accept(), e.accept()
			step.to(e, id)
			for what, id := range map[string]string{"running": id, "waiting": waiting} {
				begun := time.Now()
				record := e.cancel(id)
				if took := time.Since(begun); took > cancelLimit+target.Slack {
					t.Errorf("cancelling the %s job took %v", what, took)
				}
				if record.Status != api.JobCancelled || record.Files != nil || record.FinishedAt == nil {
					t.Errorf("the %s job: %+v", what, record)
				}
			}
			ended := e.feed.awaitEnds(id, waiting)
			for id, record := range ended {
				if record.Status != api.JobCancelled {
					t.Errorf("%s is reported as %s", id, record.Status)
				}
				e.checkTerminal(record, e.storedEvents(id))
			}
			e.checkCompleted("the next job", e.feed.finish(e.accept()))
		})
	}
}

func endedIsLeft(t *testing.T, e *engine) {
	id := e.accept()
	record := e.feed.until(wire.FeedEnded, id).Record
	for _, when := range []string{"unacknowledged", "acknowledged", "killed"} {
		switch when {
		case "acknowledged":
			e.feed.ack()
		case "killed":
			e.restart()
		}
		got := e.cancel(id)
		if got.Status != record.Status || got.LastEventID != record.LastEventID {
			t.Errorf("%s: cancelled, it is %+v", when, got)
		}
	}
}

func unknownIsNotFound(t *testing.T, e *engine) {
	id := e.accept()
	e.feed.finish(id)
	for what, path := range map[string]string{
		"another id": "/v1/generate/" + mint.NewJobID(time.Now()) + "%s?projectId=" + e.projectID,
		"no id":      "/v1/generate/x%%2f..%%2fy" + "%s",
		"a project":  "/v1/generate/" + id + "%s?projectId=" + mint.NewProjectID(),
	} {
		for _, part := range []string{"/status", "/events", "/files", ""} {
			c := call{path: fmt.Sprintf(path, part)}
			if part == "" {
				c.method = http.MethodDelete
			}
			e.expectError(what+part, e.do(c), http.StatusNotFound)
		}
	}
	for _, part := range []string{"record", "events", "files"} {
		e.expectError("stored "+part, e.get(wire.PathJobs+"/"+mint.NewJobID(time.Now())+"/"+part), http.StatusNotFound)
	}
}

func contextEnds(t *testing.T, target Target) {
	const secret = "sixteen " + marker + " candles on the dashboard"
	e := startEngine(t, target)
	id := e.acceptRequest(map[string]any{"prompt": defaultPrompt, "context": []map[string]any{{"name": "notes", "content": secret}}})
	e.feed.finish(id)
	cancelled := e.acceptRequest(map[string]any{"prompt": defaultPrompt, "context": []map[string]any{{"name": "notes", "content": secret}}})
	e.feed.until(wire.FeedStarted, cancelled)
	e.cancel(cancelled)
	e.feed.finish(cancelled)
	for _, path := range e.holding(secret) {
		t.Errorf("%s holds the context of a job that has ended", path)
	}
}

// holding returns the files of the volume that hold a text.
func (e *engine) holding(text string) (paths []string) {
	e.t.Helper()
	err := filepath.WalkDir(e.volume, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(text)) {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		e.t.Fatal(err)
	}
	return paths
}

func lastingChangeStays(t *testing.T, target Target) {
	for name, end := range map[string]func(e *engine, request map[string]any){
		"of a job that is cancelled in the queue": func(e *engine, request map[string]any) {
			running := e.begin()
			waiting := e.acceptRequest(request)
			e.cancel(waiting)
			e.cancel(running)
		},
		"of a job that is stopped at its start": func(e *engine, request map[string]any) {
			id := e.acceptRequest(request)
			e.feed.until(wire.FeedStarted, id)
			e.feed.ack(wire.Stop{JobID: id, Code: api.FailureTIKExhausted})
		},
		"of a job that a kill ends before it works": func(e *engine, request map[string]any) {
			e.feed.until(wire.FeedStarted, e.acceptRequest(request))
			e.restart()
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := startEngine(t, target)
			instructions, code := "thirteen "+marker+" lanterns by the harbour", "const lighthouse = '"+marker+" keeper'"
			end(e, map[string]any{
				"instructions": instructions,
				"skills":       []map[string]any{{"key": "lamp", "title": "Lamp", "files": []map[string]any{{"path": "lamp.js", "content": code}}}},
			})
			e.feed.finish(e.accept())
			for _, text := range []string{instructions, code} {
				if len(e.holding(text)) == 0 {
					t.Errorf("the volume does not hold %q", text)
				}
			}
		})
	}
}
