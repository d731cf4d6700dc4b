package jobs_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/engine/feed"
	"github.com/svc-games/svc/engine/jobs"
)

func TestAcceptanceIsOnDiskBeforeTheAnswer(t *testing.T) {
	e := open(t, t.TempDir(), script(write))
	defer e.Close()
	id := e.submit("durable")
	next := start(t, copyVolume(t, e.dir), script(write))
	if record := next.finish(id); record.Status != api.JobCompleted || record.SessionID != session {
		t.Errorf("record after the kill: %+v", record)
	}
}

func TestSubmittingAnIDAgainGivesTheSameAnswer(t *testing.T) {
	e := start(t, t.TempDir(), script(write))
	id := e.submit("once")
	check := func(e *engine) {
		t.Helper()
		sub, err := e.Submit(id, "ses_other", api.GenerateRequest{ProjectID: project, Prompt: "another"})
		want := api.Submission{JobID: id, ProjectID: project, Status: api.JobQueued, SessionID: session}
		if err != nil || sub != want {
			t.Errorf("Submit: %+v, %v", sub, err)
		}
		if n := len(e.List().Jobs); n != 1 {
			t.Errorf("%d jobs", n)
		}
	}
	check(e)
	e.finish(id)
	check(e)
	check(e.restart(script(write)))
}

func TestAFenceBeforeTheSubmissionRefusesItForEver(t *testing.T) {
	e := start(t, t.TempDir(), script(write))
	id := mint.NewJobID(time.Now())
	for range 2 {
		if v, err := e.Fence(id); err != nil || v != contract.Fenced {
			t.Fatalf("Fence: %s, %v", v, err)
		}
		if _, err := e.Submit(id, session, api.GenerateRequest{ProjectID: project, Prompt: "late"}); !errors.Is(err, jobs.ErrFenced) {
			t.Errorf("Submit: %v", err)
		}
		e = e.restart(script(write))
	}
}

func TestFenceAfterAcceptanceAnswersAccepted(t *testing.T) {
	e := start(t, t.TempDir(), script(write))
	id := e.submit("in time")
	if v, err := e.Fence(id); err != nil || v != contract.Accepted {
		t.Errorf("Fence: %s, %v", v, err)
	}
	e.finish(id)
	if v, err := e.restart(script(write)).Fence(id); err != nil || v != contract.Accepted {
		t.Errorf("Fence after a restart: %s, %v", v, err)
	}
}

func TestARestartFailsTheRunningJobAndGoesOnWithTheQueue(t *testing.T) {
	entered := make(chan string, 1)
	e := start(t, t.TempDir(), until(entered, nil))
	running := e.submit("running")
	var waiting []string
	for range 3 {
		waiting = append(waiting, e.submit("waiting"))
	}
	e.ack(e.until(contract.FeedStarted))
	<-entered
	next := e.restart(script(write))
	record := next.finish(running)
	if record.Status != api.JobFailed || record.Failure.Code != api.FailureEngineRestarted || record.Files == nil {
		t.Errorf("interrupted job: %+v", record)
	}
	events := next.events(running)
	if last := events[len(events)-1]; last.Type != api.EventFailed || last.Seq != record.LastEventID {
		t.Errorf("its last event: %+v", last)
	}
	var order []string
	for range waiting {
		started := next.until(contract.FeedStarted)
		order = append(order, started.JobID)
		next.ack(started)
		if record := next.finish(started.JobID); record.Status != api.JobCompleted {
			t.Errorf("queued job: %+v", record)
		}
	}
	if !slices.Equal(order, waiting) {
		t.Errorf("ran %v, want %v", order, waiting)
	}
}

// TestAnEndIsReportedOnceHoweverLargeTheFeed: the engine proxy may acknowledge
// everything before the next engine has looked for what the last one reported.
func TestAnEndIsReportedOnceHoweverLargeTheFeed(t *testing.T) {
	dir := t.TempDir()
	large, _, err := feed.Open(filepath.Join(dir, "feed"))
	if err != nil {
		t.Fatal(err)
	}
	for range 12 {
		earlier := contract.FeedRecord{Kind: contract.FeedUsage, JobID: mint.NewJobID(time.Now())}
		earlier.Units = []contract.Unit{{Name: strings.Repeat("u", 100<<10), Quantity: 1}}
		if _, err := large.Append(earlier); err != nil {
			t.Fatal(err)
		}
	}
	if err := large.Close(); err != nil {
		t.Fatal(err)
	}
	e := start(t, dir, script(write))
	id := e.submit("a game")
	ended := e.until(contract.FeedEnded)
	next := open(t, copyVolume(t, dir), script(write)) // of an engine that was killed
	next.ack(ended)
	next = run(t, next)
	next.last = ended.Seq
	another := next.submit("another")
	if rec := next.read(); rec.Kind != contract.FeedStarted || rec.JobID != another {
		t.Errorf("after the end of %s came %s of %s", id, rec.Kind, rec.JobID)
	}
}

// TestAKillAtAnyPointLosesNothing takes the volume of a job at each feed
// record, and with it every state that a kill between two writes of one step
// leaves, and recovers from it.
func TestAKillAtAnyPointLosesNothing(t *testing.T) {
	for _, tc := range []struct {
		name  string
		at    contract.FeedKind
		lines map[string]int // lines to cut off a file's end
		torn  map[string]string
		state api.JobStatus
		usage bool
	}{
		{name: "started, all written", at: contract.FeedStarted, state: api.JobFailed},
		{name: "started, not in the feed", at: contract.FeedStarted, lines: map[string]int{"feed": 1}, state: api.JobFailed},
		{name: "started, only in the record", at: contract.FeedStarted, lines: map[string]int{"feed": 1, "events": 1}, state: api.JobFailed},
		{name: "started, torn event", at: contract.FeedStarted, lines: map[string]int{"feed": 1, "events": 1}, torn: map[string]string{"events": `{"type":"job.st`}, state: api.JobFailed},
		{name: "usage, all written", at: contract.FeedUsage, state: api.JobFailed, usage: true},
		{name: "usage, not in the feed", at: contract.FeedUsage, lines: map[string]int{"feed": 1}, state: api.JobFailed, usage: true},
		{name: "usage, torn in the feed", at: contract.FeedUsage, lines: map[string]int{"feed": 1}, torn: map[string]string{"feed": `{"feedId":"`}, state: api.JobFailed, usage: true},
		{name: "ended, all written", at: contract.FeedEnded, state: api.JobCompleted, usage: true},
		{name: "ended, not in the feed", at: contract.FeedEnded, lines: map[string]int{"feed": 1}, state: api.JobCompleted, usage: true},
		{name: "ended, only in the record", at: contract.FeedEnded, lines: map[string]int{"feed": 1, "events": 1}, state: api.JobCompleted, usage: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := start(t, t.TempDir(), script(write))
			id := e.submit("fragile")
			e.until(tc.at)
			dir := copyVolume(t, e.dir)
			files := map[string]string{
				"feed":   filepath.Join(dir, "feed", "feed.jsonl"),
				"events": filepath.Join(dir, "jobs", id, "events.jsonl"),
			}
			for name, n := range tc.lines {
				cutLines(t, files[name], n)
			}
			for name, text := range tc.torn {
				appendText(t, files[name], text)
			}

			next := start(t, dir, script(write))
			used := 0
			var ended contract.FeedRecord
			for ended.Kind != contract.FeedEnded {
				ended = next.read()
				if ended.Kind == contract.FeedUsage {
					used++
				}
				next.ack(ended)
			}
			if record := ended.Record; record.Status != tc.state || record.Files == nil {
				t.Errorf("record: %+v", record)
			}
			if used != 0 != tc.usage || used > 1 {
				t.Errorf("%d usage records", used)
			}
			names := types(next.events(id))
			if names[1] != api.EventStarted || names[len(names)-1] != api.TerminalEventOf(tc.state) {
				t.Errorf("events: %v", names)
			}
			if slices.ContainsFunc(names[:len(names)-1], api.TerminalEvent) {
				t.Errorf("two terminal events: %v", names)
			}
			if uint64(len(names)) != ended.Record.LastEventID {
				t.Errorf("%d events, last id %d", len(names), ended.Record.LastEventID)
			}
		})
	}
}

func TestAVolumeThatFailsInTheMiddleOfAJobEndsTheEngine(t *testing.T) {
	entered, release := make(chan string, 1), make(chan struct{})
	e := open(t, t.TempDir(), until(entered, release))
	ran := make(chan error, 1)
	go func() { ran <- e.Run(t.Context()) }()
	id := e.submit("unlucky")
	e.ack(e.until(contract.FeedStarted))
	<-entered
	before := copyVolume(t, e.dir)
	if err := os.RemoveAll(filepath.Join(e.dir, "jobs")); err != nil {
		t.Fatal(err)
	}
	close(release)
	e.ack(e.until(contract.FeedUsage))
	if err := <-ran; err == nil {
		t.Error("Run ended without an error")
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if record := start(t, before, script(write)).finish(id); record.Failure == nil || record.Failure.Code != api.FailureEngineRestarted {
		t.Errorf("after a restart on the last good state: %+v", record)
	}
}

func TestAHalfWrittenSubmissionIsForgotten(t *testing.T) {
	e := open(t, t.TempDir(), script(write))
	id := e.submit("complete")
	half := filepath.Join(e.dir, "jobs", ".new-"+mint.NewJobID(time.Now()))
	if err := os.Mkdir(half, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	next := start(t, e.dir, script(write))
	if list := next.List().Jobs; len(list) != 1 || list[0].JobID != id {
		t.Errorf("jobs: %+v", list)
	}
	if _, err := os.Stat(half); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the half-written folder: %v", err)
	}
}

func TestASubmissionThatAPowerFailureToreIsWholeOrNone(t *testing.T) {
	for file, kept := range map[string]bool{"job.json": false, "request.json": false, "events.jsonl": true} {
		for _, share := range []int64{-1, 0, 2} { // quarters of the file that are there; -1 is no file
			e := open(t, t.TempDir(), script(write))
			id := e.submit("torn")
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(e.dir, "jobs", id, file)
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if share < 0 {
				err = os.Remove(path)
			} else {
				err = os.Truncate(path, info.Size()*share/4)
			}
			if err != nil {
				t.Fatal(err)
			}
			next := start(t, e.dir, script(write))
			if listed := len(next.List().Jobs) == 1; listed != kept {
				t.Errorf("%s at %d/4: the job is known: %v", file, share, listed)
			}
			if kept {
				if record := next.finish(id); record.Status != api.JobCompleted {
					t.Errorf("%s at %d/4: %+v", file, share, record)
				}
			}
		}
	}
}

func TestAQueuedJobCountsOnceItsFolderIsOnDisk(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir, script(write))
	id := e.submit("queued while the disk is slow")
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	// What can't be opened can't be waited for, and nothing but that opens it.
	obstacle := filepath.Join(dir, "jobs", id, "obstacle")
	if err := os.Symlink("nowhere", obstacle); err != nil {
		t.Fatal(err)
	}
	m, err := jobs.Open(jobs.Config{Dir: dir, Generator: script(write), ProjectID: project, Log: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Recover(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("with a job that may not be on disk: %v", err)
	}
	if err := errors.Join(m.Close(), os.Remove(obstacle)); err != nil {
		t.Fatal(err)
	}
	if record := start(t, dir, script(write)).finish(id); record.Status != api.JobCompleted {
		t.Errorf("once it can be waited for: %+v", record)
	}
}

func TestContextIsNotKeptAfterTheJob(t *testing.T) {
	e := start(t, t.TempDir(), script(write))
	const marker = "sixteen candles on the dashboard"
	id := e.submitRequest(api.GenerateRequest{
		ProjectID: project, Prompt: "some game",
		Context: []api.ContextBlock{{Name: "notes", Content: marker}},
	})
	e.finish(id)
	err := filepath.WalkDir(e.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(marker)) {
			t.Errorf("%s holds the context", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestOldJobsAreDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, t.TempDir(), script(write))
		old := e.submit("old")
		e.finish(old)
		time.Sleep(jobs.Retain + time.Hour)
		fresh := e.submit("fresh")
		e.finish(fresh)
		synctest.Wait()
		if list := e.List().Jobs; len(list) != 1 || list[0].JobID != fresh {
			t.Errorf("jobs: %+v", list)
		}
		e = e.restart(script(write))
		if _, err := e.Record(old); !errors.Is(err, jobs.ErrUnknown) {
			t.Errorf("the old job after a restart: %v", err)
		}
		e.stop()
	})
}

func cutLines(t *testing.T, path string, n int) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(lines) < n {
		t.Fatalf("%s has %d lines", path, len(lines))
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines[:len(lines)-n], "")), 0o600); err != nil {
		t.Fatal(err)
	}
}

func appendText(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}
