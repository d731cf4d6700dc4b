package jobs_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/gamezip"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/jobs"
)

func TestAJobRunsFromItsBriefToItsFiles(t *testing.T) {
	e := start(t, t.TempDir(), script(write))
	id := e.submit("a hopping frog")

	started := e.until(contract.FeedStarted)
	if started.Next != "generator.job" || started.Record.Status != api.JobRunning || started.Record.StartedAt == nil {
		t.Errorf("started record: %+v, job %+v", started, started.Record)
	}
	e.ack(started)
	usage := e.until(contract.FeedUsage)
	if !slices.Equal(usage.Units, []contract.Unit{{Name: "generator.job", Quantity: 1}}) || usage.Next != "" {
		t.Errorf("usage record: %+v", usage)
	}
	e.ack(usage)
	record := e.finish(id)
	if record.Status != api.JobCompleted || record.Files == nil || record.Files.Count != 1 || record.FinishedAt == nil {
		t.Errorf("ended record: %+v", record)
	}
	if record.Progress.Stage != api.StageDone || record.Progress.Percent != 100 {
		t.Errorf("progress: %+v", record.Progress)
	}

	events := e.events(id)
	want := []string{
		api.EventQueued, api.EventStarted, api.EventProgress, api.EventFileChanged,
		api.EventUsage, api.EventProgress, api.EventCompleted,
	}
	if got := types(events); !slices.Equal(got, want) {
		t.Errorf("events: %v, want %v", got, want)
	}
	last := events[len(events)-1]
	if last.Seq != record.LastEventID || last.Members["summary"] != "A game." || last.Members["changed"] != true {
		t.Errorf("terminal event: %+v, record %+v", last, record)
	}
	if got := unzip(t, e, id)["index.html"]; got != "a hopping frog" {
		t.Errorf("index.html in the ZIP: %q", got)
	}
}

func TestThePricedStepWaitsForTheAcknowledgementOfTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		entered := make(chan string, 1)
		release := make(chan struct{})
		close(release)
		e := start(t, t.TempDir(), until(entered, release))
		id := e.submit("wait")
		started := e.until(contract.FeedStarted)
		time.Sleep(24 * time.Hour) // of the bubble's clock: no time-out counts it
		synctest.Wait()
		select {
		case <-entered:
			t.Fatal("the generator ran before the acknowledgement")
		default:
		}
		e.ack(started)
		if got := <-entered; got != id {
			t.Errorf("the generator runs %s", got)
		}
		if record := e.finish(id); record.Status != api.JobCompleted {
			t.Errorf("status after a long wait: %s", record.Status)
		}
		e.stop()
	})
}

func TestAStopAtTheStartEndsTheJobWithoutRunningTheGenerator(t *testing.T) {
	e := start(t, t.TempDir(), script(func(context.Context, gen.Request, gen.Reporter) (gen.Result, error) {
		t.Error("the generator ran")
		return gen.Result{}, nil
	}))
	id := e.submit("broke")
	started := e.until(contract.FeedStarted)
	e.ack(started, contract.Stop{JobID: id, Code: api.FailureTIKExhausted})
	record := e.finish(id)
	if record.Status != api.JobFailed || record.Failure.Code != api.FailureTIKExhausted || !strings.Contains(record.Failure.Message, "TIK") {
		t.Errorf("record: %+v, failure %+v", record, record.Failure)
	}
	if slices.Contains(types(e.events(id)), api.EventUsage) {
		t.Error("usage was reported")
	}
}

func TestAStopAfterThePricedStepFailsTheJobButKeepsItsFiles(t *testing.T) {
	e := start(t, t.TempDir(), script(write))
	id := e.submit("nearly")
	usage := e.until(contract.FeedUsage)
	e.ack(usage, contract.Stop{JobID: id, Code: api.FailureTIKExhausted})
	record := e.finish(id)
	if record.Status != api.JobFailed || record.Failure.Code != api.FailureTIKExhausted {
		t.Errorf("record: %+v", record)
	}
	if got := unzip(t, e, id)["index.html"]; got != "nearly" {
		t.Errorf("index.html in the ZIP: %q", got)
	}
}

func TestJobsRunOneAtATimeInOrderOfAcceptance(t *testing.T) {
	entered := make(chan string, 1)
	release := make(chan struct{})
	e := start(t, t.TempDir(), until(entered, release))
	var want, got []string
	for range 4 {
		want = append(want, e.submit("next"))
	}
	for i := range want {
		started := e.until(contract.FeedStarted)
		if a := e.Activity(); a.RunningJobs != 1 || a.QueuedJobs != len(want)-1-i {
			t.Errorf("activity at job %d: %+v", i, a)
		}
		e.ack(started)
		got = append(got, <-entered)
		release <- struct{}{}
		e.finish(got[i])
	}
	if !slices.Equal(got, want) {
		t.Errorf("ran %v, want %v", got, want)
	}
}

func TestAFailingGeneratorFailsTheJobWithItsWords(t *testing.T) {
	for _, tc := range []struct {
		name    string
		script  script
		code    api.FailureCode
		message string
	}{
		{"error", func(ctx context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error) {
			if _, err := write(ctx, req, rep); err != nil {
				return gen.Result{}, err
			}
			return gen.Result{}, errors.New("the brief asks for too much")
		}, api.FailureGeneration, "the brief asks for too much"},
		{"panic", func(ctx context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error) {
			if _, err := write(ctx, req, rep); err != nil {
				return gen.Result{}, err
			}
			panic("secret detail")
		}, api.FailureInternal, "The generator broke down."},
		{"event that is not its own", func(ctx context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error) {
			if _, err := write(ctx, req, rep); err != nil {
				return gen.Result{}, err
			}
			rep.Event(api.EventCompleted, nil)
			return gen.Result{}, nil
		}, api.FailureInternal, "The generator broke down."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := start(t, t.TempDir(), tc.script)
			id := e.submit("some game")
			record := e.finish(id)
			if record.Status != api.JobFailed || record.Failure.Code != tc.code || record.Failure.Message != tc.message {
				t.Errorf("record: %+v, failure %+v", record, record.Failure)
			}
			if got := unzip(t, e, id)["index.html"]; got != "some game" {
				t.Errorf("index.html in the ZIP: %q", got)
			}
			if slices.Contains(types(e.events(id)), api.EventUsage) {
				t.Error("a step that was not done was reported as used")
			}
		})
	}
}

func TestAJobThatTakesTooLongFailsByItsReasoningLevel(t *testing.T) {
	for level, limit := range map[api.ReasoningLevel]time.Duration{
		"": 20 * time.Minute, api.ReasoningLow: 8 * time.Minute, api.ReasoningHigh: 45 * time.Minute,
	} {
		t.Run(string(level), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := start(t, t.TempDir(), until(make(chan string, 1), nil))
				id := e.submitRequest(api.GenerateRequest{ProjectID: project, Prompt: "slow", Settings: api.Settings{ReasoningLevel: level}})
				e.ack(e.until(contract.FeedStarted))
				began := time.Now()
				ended := e.readPatiently()
				if ended.Record.Failure == nil || ended.Record.Failure.Code != api.FailureTimeout {
					t.Errorf("record: %+v", ended.Record)
				}
				if took := time.Since(began); took != limit {
					t.Errorf("ended after %s, want %s", took, limit)
				}
				e.ack(ended)
				if got, err := e.Record(id); err != nil || got.Status != api.JobFailed {
					t.Errorf("record: %+v, %v", got, err)
				}
				e.stop()
			})
		})
	}
}

func TestProgressNeverFallsAndIsFedAtMostFourTimesASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, t.TempDir(), script(func(_ context.Context, _ gen.Request, rep gen.Reporter) (gen.Result, error) {
			for n := range 1000 { // one second
				rep.Progress(api.StageWriting, n%50, "busy")
				time.Sleep(time.Millisecond)
			}
			rep.Progress(api.StageBuilding, 3, "last word")
			time.Sleep(time.Second)
			return gen.Result{}, nil
		}))
		id := e.submit("busy")
		var fed []contract.FeedRecord
		for {
			rec := e.read()
			e.ack(rec)
			if rec.Kind == contract.FeedProgress {
				fed = append(fed, rec)
			}
			if rec.Kind == contract.FeedUsage {
				break
			}
		}
		if len(fed) < 5 {
			t.Errorf("%d progress records in a busy second, want one at its start and four more", len(fed))
		}
		for i := 1; i < len(fed); i++ {
			if gap := fed[i].At.Sub(fed[i-1].At); gap < 250*time.Millisecond {
				t.Errorf("records %d and %d are %s apart", i-1, i, gap)
			}
		}
		if last := fed[len(fed)-1].Record.Progress; last.Message != "last word" || last.Percent != 49 {
			t.Errorf("last progress fed: %+v", last)
		}
		e.finish(id)
		percent := 0.0
		for _, ev := range e.events(id) {
			if now, ok := ev.Members["percent"].(float64); ok {
				if now < percent {
					t.Fatalf("percent fell from %v to %v", percent, now)
				}
				percent = now
			}
		}
		e.stop()
	})
}

func TestAnEventThatIsTooLongIsShortened(t *testing.T) {
	e := start(t, t.TempDir(), script(func(_ context.Context, _ gen.Request, rep gen.Reporter) (gen.Result, error) {
		rep.Event(api.EventAssistantMessage, map[string]any{"text": strings.Repeat("\x01é", 40<<10), "list": make([]int, 100)})
		return gen.Result{Summary: strings.Repeat("ü", 100<<10), Unmet: []string{strings.Repeat("x", 100<<10)}}, nil
	}))
	id := e.submit("verbose")
	if record := e.finish(id); record.Status != api.JobCompleted {
		t.Fatalf("record: %+v", record)
	}
	events := e.events(id)
	i := slices.Index(types(events), api.EventAssistantMessage)
	text, _ := events[i].Members["text"].(string)
	if events[i].Members["truncated"] != true || !strings.HasPrefix(text, "\x01é") {
		t.Errorf("shortened event: %d bytes, truncated %v", len(text), events[i].Members["truncated"])
	}
}

func TestTheVolumeIsOfOneEngineOnly(t *testing.T) {
	dir := t.TempDir()
	start(t, dir, script(write))
	if _, err := jobs.Open(jobs.Config{Dir: dir, ProjectID: project}); err == nil {
		t.Fatal("a second engine opened the volume")
	}
}

// readPatiently is read without its deadline, for a bubble's clock.
func (e *engine) readPatiently() contract.FeedRecord {
	e.t.Helper()
	_, changed, err := e.Feed(e.last)
	if err != nil {
		e.t.Fatalf("Feed: %v", err)
	}
	<-changed
	return e.read()
}

func unzip(t *testing.T, e *engine, jobID string) map[string]string {
	t.Helper()
	f, err := e.Files(jobID, false)
	if err != nil {
		t.Fatalf("Files: %v", err)
	}
	defer f.Close()
	archive, err := zip.NewReader(f, f.Record.Files.Bytes)
	if err != nil {
		t.Fatalf("reading ZIP: %v", err)
	}
	content := map[string]string{}
	for _, entry := range archive.File {
		r, err := entry.Open()
		if err != nil {
			t.Fatalf("opening %s: %v", entry.Name, err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatalf("reading %s: %v", entry.Name, err)
		}
		content[entry.Name] = string(data)
	}
	return content
}

func TestFirstJobThatFailsSaysWhyInItsFiles(t *testing.T) {
	e := start(t, t.TempDir(), script(func(context.Context, gen.Request, gen.Reporter) (gen.Result, error) {
		return gen.Result{}, errors.New("The brief names no game.")
	}))
	record := e.finish(e.submit("x"))
	want, files := gamezip.Failed(record.JobID, record.Failure)
	if record.Status != api.JobFailed || record.Files == nil || *record.Files != files {
		t.Fatalf("the job: %+v, %+v", record, record.Files)
	}
	f, err := e.Files(record.JobID, true)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if zip, err := e.Snapshot(); err != nil || bytes.Contains(zip, []byte(gamezip.Readme)) {
		t.Errorf("the game as it is: %d bytes, %v", len(zip), err)
	}
}
