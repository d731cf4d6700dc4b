package fakeengine

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
)

// ServeHTTP answers as the contract says, and to what a test tells it.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sw := e.switched()
	if after := sw.SilentAfter; after > 0 && time.Since(e.began) >= after {
		_, _ = io.Copy(io.Discard, r.Body) // before, the end of a connection isn't noticed
		<-r.Context().Done()
		return
	}
	instance := e.cfg.InstanceID
	if sw.WrongInstance {
		instance = "another"
	}
	w.Header().Set(contract.HeaderInstance, instance)
	if r.Header.Get("Authorization") != "Bearer "+e.cfg.Token {
		(&answers.Error{Status: http.StatusUnauthorized, Message: "This is not the instance's token."}).WriteTo(w)
		return
	}
	e.handler.ServeHTTP(w, r)
}

func (e *Engine) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+contract.PathReady, e.ready)
	mux.HandleFunc("GET "+contract.PathActivity, e.locked(func(w http.ResponseWriter, _ *http.Request) {
		answer(w, e.activity())
	}))
	mux.HandleFunc("GET "+contract.PathJobs, e.locked(func(w http.ResponseWriter, _ *http.Request) {
		answer(w, contract.JobList{Jobs: e.state.Jobs})
	}))
	mux.HandleFunc("GET "+contract.PathJobs+"/{id}/{part}", e.locked(e.part))
	mux.HandleFunc("GET "+contract.PathFeed, e.feed)
	mux.HandleFunc("POST "+contract.PathAck, taking(e, e.ack))
	mux.HandleFunc("POST "+contract.PathFence, taking(e, e.fence))
	mux.HandleFunc("POST "+contract.PathDrain, e.drain)
	mux.HandleFunc("POST "+contract.PathUndrain, e.locked(func(w http.ResponseWriter, _ *http.Request) {
		e.drained = false
		e.undrain++
		answer(w, e.activity())
	}))
	mux.HandleFunc("POST /v1/generate", e.submit)
	mux.HandleFunc("DELETE /v1/generate/{id}", e.locked(e.cancel))
	mux.HandleFunc("GET /v1/generate/{id}/status", e.locked(e.status))
	mux.HandleFunc("GET /v1/generate/{id}/events", e.events)
	mux.HandleFunc("GET /v1/generate/{id}/files", e.files)
	mux.HandleFunc("GET "+contract.PathSnapshot, e.locked(func(w http.ResponseWriter, _ *http.Request) {
		if e.state.Game == nil {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write(e.state.Game)
	}))
	e.controls(mux)
	return mux
}

// locked has a handler hold mu.
func (e *Engine) locked(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		e.mu.Lock()
		defer e.mu.Unlock()
		h(w, r)
	}
}

// taking is the handler that reads a body of one kind, and holds mu for what is done
// with it.
func taking[T any](e *Engine, do func(w http.ResponseWriter, in T)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in T
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			answers.BadRequest("The body is not the expected JSON.").WriteTo(w)
			return
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		do(w, in)
	}
}

// ready answers the probe, unless a test holds it back.
func (e *Engine) ready(w http.ResponseWriter, r *http.Request) {
	sw := e.switched()
	if sw.NeverReady || time.Since(e.began) < sw.ReadyAfter || e.held(func(s Switches) bool { return s.HoldReady }) {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	answer(w, contract.Ready{InstanceID: e.cfg.InstanceID, ProjectID: e.cfg.ProjectID, FeedID: e.state.FeedID, Version: "fake"})
}

// fence refuses a job for good that was not accepted.
func (e *Engine) fence(w http.ResponseWriter, req contract.FenceRequest) {
	if !api.ValidJobID(req.JobID) {
		answers.BadRequest("jobId must be a job id.").WriteTo(w)
		return
	}
	verdict := contract.Accepted
	if e.job(req.JobID) == nil && !e.taken.jobs[req.JobID] {
		verdict = contract.Fenced
		e.state.Fenced[req.JobID] = true
	}
	e.answerSaved(w, contract.FenceResponse{Verdict: verdict})
}

// drain ends the taking of jobs, as slowly as a test asks for.
func (e *Engine) drain(w http.ResponseWriter, r *http.Request) {
	time.Sleep(e.switched().DrainTakes) // a slow engine; the test does not wait for it
	e.letGo(r.Context(), func(s Switches) bool { return s.HoldDrain })
	e.mu.Lock()
	defer e.mu.Unlock()
	if a := e.activity(); a.Busy() {
		w.WriteHeader(http.StatusConflict)
		answer(w, a)
		return
	}
	e.drained = true
	answer(w, e.activity())
}

// others answers in JSON what the mux has no route, or no method, for.
func others(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, pattern := mux.Handler(r)
		if pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		plain := httptest.NewRecorder()
		h.ServeHTTP(plain, r)
		refusal := answers.Error{Status: http.StatusNotFound, Message: "There is no such route."}
		if plain.Code == http.StatusMethodNotAllowed {
			refusal = answers.Error{Status: plain.Code, Message: "This route does not allow the method.", Header: http.Header{"Allow": plain.Header()["Allow"]}}
		}
		refusal.WriteTo(w)
	})
}

// feedBeat is the longest silence on the feed.
const feedBeat = 10 * time.Second

// controls are what a test tells the engine.
func (e *Engine) controls(mux *http.ServeMux) {
	mux.HandleFunc("POST /test/accept", taking(e, func(w http.ResponseWriter, rec contract.JobRecord) {
		if e.drained {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		rec.ProjectID = e.cfg.ProjectID
		e.state.Jobs = append(e.state.Jobs, rec)
		e.answerSaved(w, rec)
	}))
	mux.HandleFunc("POST /test/stage", taking(e, func(w http.ResponseWriter, stage Stage) {
		j := e.job(stage.JobID)
		if j == nil {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		j.Progress.Stage = stage.Stage
		e.state.Game = stage.Game
		running := *j
		e.report(contract.FeedRecord{Kind: contract.FeedProgress, JobID: j.JobID, Record: &running})
		e.answerSaved(w, *j)
	}))
	mux.HandleFunc("POST /test/end", taking(e, func(w http.ResponseWriter, end End) {
		j := e.job(end.JobID)
		if j == nil {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		j.Files = end.Files
		e.end(j, end.Status, end.ZIP)
		e.answerSaved(w, *j)
	}))
	mux.HandleFunc("POST /test/exit", func(http.ResponseWriter, *http.Request) { e.cfg.Exit(7) })
	mux.HandleFunc("GET /test/models", e.models)
	mux.HandleFunc("GET /test/state", e.locked(func(w http.ResponseWriter, _ *http.Request) {
		answer(w, Report{Acked: e.state.Acked, Stopped: e.state.Stopped, Drained: e.drained, Undrained: e.undrain, Feed: len(e.state.Feed)})
	}))
}

// End is what a test tells an engine to make of a job.
type End struct {
	JobID  string
	Status api.JobStatus
	Files  *api.Files
	ZIP    []byte
}

// Stage is what a test tells an engine that a job has come to, and what the
// game is then.
type Stage struct {
	JobID string
	Stage api.Stage
	Game  []byte // a ZIP
}

// Report is what an engine tells a test about itself.
type Report struct {
	Acked     uint64
	Stopped   []contract.Stop
	Drained   bool
	Undrained int
	Feed      int
}

// end stores a job's end and reports it: started, one usage, ended.
func (e *Engine) end(j *contract.JobRecord, status api.JobStatus, zip []byte) {
	now := time.Now().UTC()
	running := *j
	running.Status, running.Files = api.JobRunning, nil
	e.report(contract.FeedRecord{Kind: contract.FeedStarted, JobID: j.JobID, Record: &running, Next: "generator.job"})
	e.report(contract.FeedRecord{Kind: contract.FeedUsage, JobID: j.JobID, Units: []contract.Unit{{Name: "generator.job", Quantity: 1}}})
	j.Status, j.FinishedAt, j.LastEventID = status, &now, 2
	for seq, kind := range []string{api.EventQueued, api.TerminalEventOf(status)} {
		line, _ := json.Marshal(api.Event{Type: kind, Seq: uint64(seq) + 1, JobID: j.JobID, ProjectID: e.cfg.ProjectID, TS: now})
		e.state.Events[j.JobID] += string(line) + "\n"
	}
	e.state.Files[j.JobID] = zip
	ended := *j
	e.report(contract.FeedRecord{Kind: contract.FeedEnded, JobID: j.JobID, Record: &ended})
}

// report appends a record to the feed, which is read once it is saved.
func (e *Engine) report(rec contract.FeedRecord) (seq uint64) {
	rec.FeedID, rec.Seq, rec.At = e.state.FeedID, uint64(len(e.state.Feed))+1, time.Now().UTC()
	e.state.Feed = append(e.state.Feed, rec)
	return rec.Seq
}

// part is called with mu held.
func (e *Engine) part(w http.ResponseWriter, r *http.Request) {
	j := e.job(r.PathValue("id"))
	switch part := r.PathValue("part"); {
	case j == nil:
		(&answers.Error{Status: http.StatusNotFound, Message: "There is no such job."}).WriteTo(w)
	case part == "record":
		answer(w, *j)
	case part == "events":
		_, _ = io.WriteString(w, e.state.Events[j.JobID])
	case part == "files":
		zip := e.state.Files[j.JobID]
		half := len(zip) / 2
		_, _ = w.Write(zip[:half])
		if e.switches.HoldZIP {
			_ = http.NewResponseController(w).Flush()
			e.mu.Unlock()
			e.letGo(r.Context(), func(s Switches) bool { return s.HoldZIP })
			e.mu.Lock()
		}
		_, _ = w.Write(zip[half:])
	}
}

func (e *Engine) feed(w http.ResponseWriter, r *http.Request) {
	after, err := strconv.Atoi(r.URL.Query().Get("after"))
	if err != nil {
		answers.BadRequest("after must be a number.").WriteTo(w)
		return
	}
	e.mu.Lock()
	ahead := after > len(e.state.Feed)
	e.mu.Unlock()
	if ahead {
		(&answers.Error{Status: http.StatusConflict, Message: "The feed has no such record."}).WriteTo(w)
		return
	}
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush()
	if e.switched().BrokenFeed {
		_, _ = io.WriteString(w, "{}\n")
		return
	}
	beat := time.NewTicker(feedBeat)
	defer beat.Stop()
	for {
		e.mu.Lock()
		records, grown := slices.Clone(e.state.Feed[min(after, len(e.state.Feed)):]), e.grown
		e.mu.Unlock()
		for _, rec := range records {
			answer(w, rec)
			after++
		}
		_ = http.NewResponseController(w).Flush()
		select {
		case <-grown:
		case <-beat.C:
			_, _ = io.WriteString(w, "\n")
		case <-r.Context().Done():
			return
		}
	}
}

func (e *Engine) ack(w http.ResponseWriter, ack contract.Ack) {
	if ack.FeedID != e.state.FeedID || ack.Seq > uint64(len(e.state.Feed)) {
		(&answers.Error{Status: http.StatusConflict, Message: "This is no record of this feed."}).WriteTo(w)
		return
	}
	e.state.Stopped = append(e.state.Stopped, ack.Stop...)
	for _, stop := range ack.Stop {
		if j := e.job(stop.JobID); j != nil {
			e.interrupt(j, api.JobFailed, &api.Failure{Code: stop.Code, Message: "The service ended the job."})
		}
	}
	e.state.Acked = max(e.state.Acked, ack.Seq)
	e.advance()
	e.answerSaved(w, e.activity())
}

func (e *Engine) activity() contract.Activity {
	a := contract.Activity{OpenStreams: e.streams, UnackedFeed: len(e.state.Feed) - int(e.state.Acked), LastActivity: e.began}
	for _, j := range e.state.Jobs {
		w := e.state.Works[j.JobID]
		switch {
		case w != nil && j.Status == api.JobQueued:
			a.QueuedJobs++
		case !j.Status.Terminal() || w != nil && w.Ended == 0:
			a.RunningJobs++
		}
	}
	if time.Since(e.began) < e.switches.BusyFor {
		a.RunningJobs++
	}
	return a
}

func (e *Engine) job(id string) *contract.JobRecord {
	for i := range e.state.Jobs {
		if e.state.Jobs[i].JobID == id {
			return &e.state.Jobs[i]
		}
	}
	return nil
}

func (e *Engine) answerSaved(w http.ResponseWriter, v any) {
	if err := e.save(); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answer(w, v)
}

func answer(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) }
