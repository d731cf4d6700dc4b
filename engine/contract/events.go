package contract

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	wire "github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/test/wait"
)

var eventCases = []named{
	{"LogIsDenseAndEndsWithOneTerminalEvent", running(logIsDense)},
	{"StreamResumesAfterAnyEvent", running(streamResumes)},
	{"StreamOfAnEndedJobThatWasSeenIsEmpty", running(seenStreamIsEmpty)},
	{"UnknownPositionStartsOver", running(unknownPosition)},
	{"LiveEventsFollowTheStoredOnes", running(liveEvents)},
	{"SilenceIsFilled", running(silenceIsFilled)},
}

// eventTypes are those that a log may hold.
var eventTypes = []string{
	api.EventQueued, api.EventStarted, api.EventProgress, api.EventAssistantDelta, api.EventAssistantMessage, api.EventToolCall,
	api.EventToolResult, api.EventFileChanged, api.EventAssetCreated, api.EventBuildResult, api.EventAuditResult,
	api.EventPlaytestResult, api.EventFixApplied, api.EventUsage, api.EventWarning, api.EventCompleted, api.EventFailed, api.EventCancelled,
}

// checkEvent reads one line of a job's log and holds it against the contract.
func (e *engine) checkEvent(id string, seq uint64, line []byte) api.Event {
	e.t.Helper()
	var ev api.Event
	if err := json.Unmarshal(line, &ev); err != nil {
		e.t.Fatalf("event %d is no JSON: %s", seq, line)
	}
	if ev.Seq != seq || ev.JobID != id || ev.ProjectID != e.projectID || ev.TS.IsZero() {
		e.t.Errorf("event %d of %s has the envelope %s", seq, id, line)
	}
	if !slices.Contains(eventTypes, ev.Type) {
		e.t.Errorf("event %d is of the unknown type %q", seq, ev.Type)
	}
	if _, taken := ev.Members["error"]; taken || len(line) > api.MaxEventData {
		e.t.Errorf("event %d has a member called error, or %d bytes", seq, len(line))
	}
	return ev
}

// stream reads an event stream up to its end.
func (e *engine) stream(id string, header map[string]string, query string) (status int, records []sse.Record) {
	e.t.Helper()
	ctx, cancel := wait.Context(e.t)
	defer cancel()
	res, err := e.open(ctx, call{path: e.route(id, "/events") + query, header: header})
	if err != nil {
		e.t.Fatalf("opening the stream: %v", err)
	}
	defer res.Body.Close()
	if kind := res.Header.Get("Content-Type"); res.StatusCode == http.StatusOK && kind != "text/event-stream" {
		e.t.Errorf("the stream is %q", kind)
	}
	for reader := sse.NewReader(res.Body); ; {
		rec, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return res.StatusCode, records
		}
		if err != nil {
			e.t.Fatalf("reading the stream: %v", err)
		}
		records = append(records, rec)
	}
}

// checkStream holds records against those after position in a job's log.
func (e *engine) checkStream(what, id string, position uint64, records []sse.Record) {
	e.t.Helper()
	stored := slices.Collect(bytes.Lines(e.stored(id, "events").body))
	if len(records) != len(stored)-int(position) {
		e.t.Fatalf("%s: %d events after %d of %d", what, len(records), position, len(stored))
	}
	for i, rec := range records {
		want := bytes.TrimSuffix(stored[int(position)+i], []byte("\n"))
		if rec.ID != position+uint64(i)+1 || !bytes.Equal(rec.Data, want) {
			e.t.Errorf("%s: event %d is %s, but %s is stored", what, rec.ID, rec.Data, want)
		}
	}
}

func logIsDense(t *testing.T, e *engine) {
	id := e.accept()
	record := e.feed.finish(id)
	events := e.storedEvents(id)
	if len(events) < 3 || uint64(len(events)) != record.LastEventID {
		t.Fatalf("%d events, and lastEventId is %d", len(events), record.LastEventID)
	}
	if events[0].Type != api.EventQueued || events[1].Type != api.EventStarted {
		t.Errorf("the log begins with %s, %s", events[0].Type, events[1].Type)
	}
	e.checkTerminal(record, events)
	percent := 0.0
	for _, ev := range events {
		if now, ok := ev.Members["percent"].(float64); ok && ev.Type == api.EventProgress {
			if now < percent {
				t.Errorf("progress falls from %v to %v", percent, now)
			}
			percent = now
		}
	}
}

// checkTerminal proves that a log ends as its job did, and once.
func (e *engine) checkTerminal(record wire.JobRecord, events []api.Event) {
	e.t.Helper()
	last := events[len(events)-1]
	if last.Type != api.TerminalEventOf(record.Status) || last.Members["status"] != string(record.Status) {
		e.t.Errorf("the log of a job that is %s ends with %s", record.Status, last.Type)
	}
	for _, name := range []string{"changed", "unmet"} {
		if _, ok := last.Members[name]; !ok {
			e.t.Errorf("the terminal event has no %q", name)
		}
	}
	if files, ok := last.Members["files"].(map[string]any); (record.Files != nil) != ok || ok && files["sha256"] != record.Files.SHA256 {
		e.t.Errorf("the terminal event has the files %v, its record %+v", files, record.Files)
	}
	if slices.ContainsFunc(events[:len(events)-1], func(ev api.Event) bool { return api.TerminalEvent(ev.Type) }) {
		e.t.Errorf("the log of %s has two terminal events", record.JobID)
	}
}

func streamResumes(t *testing.T, e *engine) {
	id := e.accept()
	last := e.feed.finish(id).LastEventID
	for _, position := range []uint64{0, 1, 2, last / 2, last - 1} {
		at := fmt.Sprint(position)
		_, records := e.stream(id, map[string]string{"Last-Event-ID": at}, "")
		e.checkStream("by header", id, position, records)
		_, records = e.stream(id, nil, "&lastEventId="+at)
		e.checkStream("by query", id, position, records)
	}
	_, records := e.stream(id, map[string]string{"Last-Event-ID": "1"}, "&lastEventId=2")
	e.checkStream("the header counts", id, 1, records)
}

func seenStreamIsEmpty(t *testing.T, e *engine) {
	id := e.accept()
	last := e.feed.finish(id).LastEventID
	for _, position := range []uint64{last, last + 7} {
		if status, _ := e.stream(id, map[string]string{"Last-Event-ID": fmt.Sprint(position)}, ""); status != http.StatusNoContent {
			t.Errorf("after event %d of %d: %d", position, last, status)
		}
	}
}

func unknownPosition(t *testing.T, e *engine) {
	id := e.accept()
	e.feed.finish(id)
	_, records := e.stream(id, map[string]string{"Last-Event-ID": "garbage"}, "")
	if len(records) == 0 || records[0].Type != api.StreamReset || records[0].ID != 0 {
		t.Fatalf("garbage begins with %+v", records)
	}
	e.checkStream("garbage", id, 0, records[1:])

	running := e.begin()
	ctx, cancel := wait.Context(t)
	defer cancel()
	res, err := e.open(ctx, call{path: e.route(running, "/events"), header: map[string]string{"Last-Event-ID": "4711"}})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if rec, err := sse.NewReader(res.Body).Next(); err != nil || rec.Type != api.StreamReset {
		t.Errorf("a future id of a running job: %s, %v", rec.Type, err)
	}
}

func liveEvents(t *testing.T, e *engine) {
	id := e.begin() // the job waits
	ctx, cancel := wait.Context(t)
	defer cancel()
	res, err := e.open(ctx, call{path: e.route(id, "/events")})
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan []sse.Record, 1)
	go func() {
		defer res.Body.Close()
		var records []sse.Record
		defer func() { read <- records }()
		for reader := sse.NewReader(res.Body); ; {
			rec, err := reader.Next()
			if err != nil {
				return
			}
			records = append(records, rec)
		}
	}()
	e.feed.ack()
	e.feed.finish(id)
	e.checkStream("live", id, 0, <-read)
}

// Limits of silence, in events and on the feed.
const (
	eventBeat = 15 * time.Second
	feedBeat  = 10 * time.Second
)

func silenceIsFilled(t *testing.T, e *engine) {
	id := e.begin() // the job waits, so there is silence
	ctx, cancel := wait.Context(t)
	defer cancel()
	var both sync.WaitGroup
	defer both.Wait()
	beat := func(what, path string, limit time.Duration, is func(line string) bool) {
		t.Helper()
		res, err := e.open(ctx, call{path: path})
		if err != nil {
			t.Fatal(err)
		}
		last := time.Now()
		both.Go(func() {
			defer res.Body.Close()
			for scan := bufio.NewScanner(res.Body); scan.Scan(); {
				line, silence := scan.Text(), time.Since(last)
				last = time.Now()
				if silence < limit/2 || !is(line) && silence < limit {
					continue // still what was stored
				}
				if silence > limit+2*time.Second+e.target.Slack || !is(line) {
					t.Errorf("%s: after %v comes %q", what, silence, line)
				}
				return
			}
			t.Errorf("%s: it ended", what)
		})
	}
	beat("events", e.route(id, "/events"), eventBeat, func(line string) bool { return strings.HasPrefix(line, ":") })
	beat("feed", fmt.Sprintf("%s?after=%d", wire.PathFeed, e.feed.seq-1), feedBeat, func(line string) bool { return line == "" })
}
