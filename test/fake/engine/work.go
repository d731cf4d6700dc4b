package fakeengine

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/gamezip"
)

// work is what the engine knows of a job that came by a submission. Jobs that
// a test puts into the engine have none: the test says what becomes of them.
type work struct {
	Prompt string        // until the job ends
	Model  string        // to ask before the game is made; "" for none
	Waits  uint64        // feed record whose acknowledgement lets it go on; 0 for none
	Result api.JobStatus // decided, its ended record not yet in the feed; "" otherwise
	Ended  uint64        // its ended record; 0 until there is one

	begun bool // what takes time was begun
	held  bool // and goes on
	stop  context.CancelFunc
}

// begin starts what takes time, if there is such a thing, and holds the job.
func (e *Engine) begin(j *contract.JobRecord, w *work) {
	ctx, cancel := context.WithCancel(context.Background())
	w.begun, w.stop = true, cancel
	switch {
	case e.cfg.Stuck > 0:
		w.held = true
		go e.runOut(ctx, j.JobID)
	case e.switches.Chatter > 0:
		w.held = true
		go e.chatter(ctx, j.JobID, e.switches.Chatter)
	case w.Model != "" && e.cfg.Egress != "":
		w.held = true
		go e.consult(ctx, j.JobID, w.Model)
	}
}

// advance takes the jobs that were submitted as far as they may go without
// another acknowledgement, one after the other. It is called with mu held.
func (e *Engine) advance() {
	for i := range e.state.Jobs {
		j := &e.state.Jobs[i]
		w := e.state.Works[j.JobID]
		if w == nil || w.Ended > 0 {
			continue
		}
		for e.state.Acked >= w.Waits && w.Ended == 0 && (!w.held || w.Result != "") {
			e.step(j, w)
		}
		if w.Ended == 0 && w.Result == "" {
			return // the next one waits for this one
		}
	}
}

// step does a job's next step. Its fake generator takes no time, unless it asks
// a model or is stuck.
func (e *Engine) step(j *contract.JobRecord, w *work) {
	switch {
	case w.Result != "":
		ended := *j
		w.Ended = e.report(contract.FeedRecord{Kind: contract.FeedEnded, JobID: j.JobID, Record: &ended})
	case j.StartedAt == nil:
		now := now()
		j.Status, j.StartedAt, j.Progress = api.JobRunning, &now, api.Progress{Stage: api.StagePlanning}
		e.event(j, api.EventStarted, nil)
		started := *j
		w.Waits = e.report(contract.FeedRecord{Kind: contract.FeedStarted, JobID: j.JobID, Record: &started, Next: "generator.job"})
	case j.Progress.Stage == api.StagePlanning && !w.begun:
		e.begin(j, w)
	case j.Progress.Stage == api.StagePlanning:
		j.Progress = api.Progress{Stage: api.StagePackaging, Percent: 90}
		e.state.Files[j.JobID] = archive(w.Prompt)
		e.event(j, api.EventProgress, map[string]any{"stage": j.Progress.Stage, "percent": j.Progress.Percent, "message": ""})
		units := []contract.Unit{{Name: "generator.job", Quantity: 1}}
		e.event(j, api.EventUsage, map[string]any{"units": units})
		charged := *j
		w.Waits = e.report(contract.FeedRecord{Kind: contract.FeedUsage, JobID: j.JobID, Record: &charged, Units: units})
	default:
		e.conclude(j, w, api.JobCompleted, nil)
	}
}

// conclude stores a job's end. It is in the feed once the last charge is
// acknowledged.
func (e *Engine) conclude(j *contract.JobRecord, w *work, status api.JobStatus, failure *api.Failure) {
	if w.stop != nil {
		w.stop()
	}
	at := now()
	j.Status, j.Failure, j.FinishedAt, w.Result = status, failure, &at, status
	members := map[string]any{"status": status, "changed": status == api.JobCompleted, "unmet": []string{}}
	switch status {
	case api.JobCompleted:
		j.Progress = api.Progress{Stage: api.StageDone, Percent: 100}
		members["summary"] = "A game."
	case api.JobFailed:
		members["failure"] = failure
	}
	if status != api.JobCancelled {
		zip := e.state.Files[j.JobID]
		if zip == nil {
			zip = e.former()
		}
		if zip == nil {
			zip, _ = gamezip.Failed(j.JobID, failure)
		}
		e.state.Files[j.JobID] = zip
		sum := sha256.Sum256(zip)
		j.Files = &api.Files{Count: 1, Bytes: int64(len(zip)), SHA256: hex.EncodeToString(sum[:])}
		members["files"] = j.Files
	}
	e.event(j, api.TerminalEventOf(status), members)
	w.Prompt = ""
	// Only a charge holds the report of an end up.
	if last := e.lastRecord(j.JobID); last == nil || last.Kind != contract.FeedUsage {
		w.Waits = 0
	}
}

// former returns the game that the jobs before have left, which is that of the
// last one that got as far as making one; nil without one.
func (e *Engine) former() (zip []byte) {
	for n := len(e.state.Jobs) - 1; n >= 0; n-- {
		if j := e.state.Jobs[n]; j.Files != nil && j.Progress.Stage != api.StagePlanning && j.Progress.Stage != api.StageQueued {
			return e.state.Files[j.JobID]
		}
	}
	return nil
}

// interrupt ends a job that was submitted; false for any other, and for one
// that has ended. What waited for it goes on with the next advance.
func (e *Engine) interrupt(j *contract.JobRecord, status api.JobStatus, failure *api.Failure) bool {
	w := e.state.Works[j.JobID]
	if w == nil || w.Result != "" {
		return false
	}
	e.conclude(j, w, status, failure)
	return true
}

// resume fails the submitted job that ran when the last engine ended, and goes
// on with the others.
func (e *Engine) resume() {
	for i := range e.state.Jobs {
		if j := &e.state.Jobs[i]; j.Status == api.JobRunning {
			e.interrupt(j, api.JobFailed, restarted())
		}
	}
	e.advance()
}

func restarted() *api.Failure {
	return &api.Failure{Code: api.FailureEngineRestarted, Message: "The engine was restarted."}
}

// public returns a job as everyone may see it: its end is hidden until it is
// acknowledged.
func (e *Engine) public(j contract.JobRecord) contract.JobRecord {
	if !j.Status.Terminal() || e.published(j.JobID) {
		return j
	}
	j.Status = api.JobQueued
	if j.StartedAt != nil {
		j.Status = api.JobRunning
	}
	if j.Progress.Stage == api.StageDone {
		j.Progress = api.Progress{Stage: api.StagePackaging, Percent: 90}
	}
	j.FinishedAt, j.Failure, j.Files = nil, nil, nil
	j.LastEventID--
	return j
}

// published reports whether a job's end may be seen.
func (e *Engine) published(id string) bool {
	w := e.state.Works[id]
	return w == nil || w.Ended > 0 && w.Ended <= e.state.Acked
}

func (e *Engine) lastRecord(id string) *contract.FeedRecord {
	for n := len(e.state.Feed) - 1; n >= 0; n-- {
		if e.state.Feed[n].JobID == id {
			return &e.state.Feed[n]
		}
	}
	return nil
}

// event appends an event to a job's log.
func (e *Engine) event(j *contract.JobRecord, eventType string, members map[string]any) {
	j.LastEventID++
	line, err := json.Marshal(api.Event{
		Type: eventType, Seq: j.LastEventID, JobID: j.JobID, ProjectID: e.cfg.ProjectID, TS: now(), Members: members,
	})
	if err != nil {
		panic(err) // of values that always marshal
	}
	e.state.Events[j.JobID] += string(line) + "\n"
}

// archive is the ZIP of a game whose page is given, if there is one: the same for
// the same content.
func archive(page ...string) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, content := range page {
		f, err := w.Create("index.html")
		if err == nil {
			_, err = f.Write([]byte(content))
		}
		if err != nil {
			panic(err) // a buffer takes everything
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
