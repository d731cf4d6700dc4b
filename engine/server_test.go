package engine

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/test/wait"
)

func TestOnlyTheInstancesTokenIsAccepted(t *testing.T) {
	p := serveEngine(t)
	for _, auth := range []string{"", "Bearer", "Bearer wrong", "Basic " + token, token, "Bearer " + token + "x", "bearer: " + token} {
		for _, path := range []string{contract.PathReady, contract.PathJobs, "/v1/generate", "/nowhere"} {
			res := p.do(http.MethodGet, path, nil, http.Header{"Authorization": {auth}})
			if res.StatusCode != http.StatusUnauthorized {
				t.Errorf("%q on %s: %d", auth, path, res.StatusCode)
			}
		}
	}
}

func TestReadinessComesAfterTheStartDelayAndNamesTheInstance(t *testing.T) {
	p := serveUnready(t, Config{Volume: t.TempDir(), Generator: held{}, StartDelay: time.Hour})
	if res := p.get(contract.PathReady); res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("at first: %d", res.StatusCode)
	}
	res := p.submit(mint.NewJobID(time.Now()), "early")
	if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get(contract.HeaderRefused) != "" {
		t.Errorf("early submission: %d, refused %q", res.StatusCode, res.Header.Get(contract.HeaderRefused))
	}
	const delay = 300 * time.Millisecond
	began := time.Now()
	p = serveConfig(t, Config{Volume: t.TempDir(), Generator: held{}, StartDelay: delay})
	if took := time.Since(began); took < delay {
		t.Errorf("ready after %s", took)
	}
	ready := decode[contract.Ready](t, p.get(contract.PathReady))
	if ready.InstanceID != instance || ready.ProjectID != project || ready.FeedID == "" {
		t.Errorf("ready: %+v", ready)
	}
}

func TestReadinessComesWithTheFileThatItWaitsFor(t *testing.T) {
	volume := t.TempDir()
	p := serveUnready(t, Config{Volume: volume, Generator: held{}, StartFile: "go"})
	if res := p.get(contract.PathReady); res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("at first: %d", res.StatusCode)
	}
	if err := os.WriteFile(filepath.Join(volume, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "it is ready", func() bool { return p.get(contract.PathReady).StatusCode == http.StatusOK })
}

func TestASubmissionFromAcceptanceToDownload(t *testing.T) {
	p := serveEngine(t)
	id := mint.NewJobID(time.Now())
	for range 2 {
		sub := decode[api.Submission](t, p.submit(id, "a game of pong"))
		if want := (api.Submission{JobID: id, ProjectID: project, Status: api.JobQueued, SessionID: "ses_01"}); sub != want {
			t.Errorf("answer: %+v", sub)
		}
	}
	job := "/v1/generate/" + id
	if res := p.get(job + "/files"); res.StatusCode != http.StatusConflict {
		t.Errorf("files before the end: %d", res.StatusCode)
	}
	live := p.get(job + "/events?projectId=" + project)
	ended := p.finish(id)

	events := stream(t, live)
	if last := events[len(events)-1]; last.Type != api.EventCompleted || last.ID != ended.Record.LastEventID || last.ID != uint64(len(events)) {
		t.Errorf("last event: %+v of %d", last, len(events))
	}
	status := decode[contract.JobRecord](t, p.get(job+"/status?projectId="+project))
	if status.Status != api.JobCompleted || status.Files == nil {
		t.Fatalf("status: %+v", status)
	}
	res := p.get(job + "/files")
	zip := bodyOf(t, res)
	if res.Header.Get("ETag") != `"`+status.Files.SHA256+`"` || int64(len(zip)) != status.Files.Bytes ||
		res.Header.Get("Content-Type") != "application/zip" || !strings.Contains(res.Header.Get("Content-Disposition"), id+".zip") {
		t.Errorf("files: %d bytes, %v", len(zip), res.Header)
	}
	part := p.do(http.MethodGet, job+"/files", nil, http.Header{"Range": {"bytes=10-19"}})
	if part.StatusCode != http.StatusPartialContent || bodyOf(t, part) != zip[10:20] {
		t.Errorf("range: %d", part.StatusCode)
	}
	if res := p.do(http.MethodGet, job+"/files", nil, http.Header{"If-None-Match": {res.Header.Get("ETag")}}); res.StatusCode != http.StatusNotModified {
		t.Errorf("If-None-Match: %d", res.StatusCode)
	}
	cancelled := decode[contract.JobRecord](t, p.do(http.MethodDelete, job, nil, nil))
	if cancelled.Status != api.JobCompleted {
		t.Errorf("DELETE after the end: %+v", cancelled)
	}
}

func TestARefusedSubmissionIsMarked(t *testing.T) {
	p := serveEngine(t)
	fenced := mint.NewJobID(time.Now())
	if v := decode[contract.FenceResponse](t, p.post(contract.PathFence, contract.FenceRequest{JobID: fenced})); v.Verdict != contract.Fenced {
		t.Fatalf("fence: %+v", v)
	}
	valid := `{"projectId":"` + project + `","prompt":"x"}`
	for _, tc := range []struct {
		name, id, body string
		status         int
	}{
		{"fenced", fenced, valid, http.StatusConflict},
		{"malformed id", "job_1", valid, http.StatusBadRequest},
		{"no JSON", mint.NewJobID(time.Now()), `{`, http.StatusBadRequest},
		{"no prompt", mint.NewJobID(time.Now()), `{"projectId":"` + project + `"}`, http.StatusBadRequest},
		{"another project", mint.NewJobID(time.Now()), `{"projectId":"ffffffffffffffffffffffff","prompt":"x"}`, http.StatusBadRequest},
		{"clashing skill files", mint.NewJobID(time.Now()), `{"projectId":"` + project + `","prompt":"x","skills":[{"key":"k","title":"t","files":[{"path":"a","content":""},{"path":"A","content":""}]}]}`, http.StatusBadRequest},
		{"too large", mint.NewJobID(time.Now()), `{"prompt":"` + strings.Repeat("x", 9<<20) + `"}`, http.StatusRequestEntityTooLarge},
	} {
		t.Run(tc.name, func(t *testing.T) {
			res := p.submitBody(tc.id, tc.body)
			var body struct{ Error string }
			if err := json.NewDecoder(res.Body).Decode(&body); err != nil || body.Error == "" {
				t.Errorf("body: %+v, %v", body, err)
			}
			if res.StatusCode != tc.status || res.Header.Get(contract.HeaderRefused) != "true" {
				t.Errorf("status %d, refused %q", res.StatusCode, res.Header.Get(contract.HeaderRefused))
			}
		})
	}
	if list := decode[contract.JobList](t, p.get(contract.PathJobs)); len(list.Jobs) != 0 {
		t.Errorf("jobs: %+v", list)
	}
}

func TestADiskThatRefusesAJobRefusesItsSubmission(t *testing.T) {
	h := held{make(chan struct{})}
	close(h.release)
	volume := t.TempDir()
	p := serveConfig(t, Config{Volume: volume, Generator: h})
	id := mint.NewJobID(time.Now())
	inTheWay := filepath.Join(volume, "jobs", ".new-"+id)
	if err := os.WriteFile(inTheWay, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	res := p.submit(id, "some game")
	if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get(contract.HeaderRefused) != "true" {
		t.Errorf("status %d, refused %q", res.StatusCode, res.Header.Get(contract.HeaderRefused))
	}
	if res := p.submit(id, "some game"); res.StatusCode != http.StatusOK {
		t.Errorf("the same submission with the disk in order: %d", res.StatusCode)
	}
}

func TestTheQueueHasAnEnd(t *testing.T) {
	p := serveConfig(t, Config{Volume: t.TempDir(), Generator: held{make(chan struct{})}})
	p.accept("running")
	wait.Until(t, "the first job runs", func() bool {
		return decode[contract.Activity](t, p.get(contract.PathActivity)).RunningJobs == 1
	})
	for range 20 {
		p.accept("waiting")
	}
	res := p.submit(mint.NewJobID(time.Now()), "one too many")
	if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get(contract.HeaderRefused) != "true" || res.Header.Get("Retry-After") == "" {
		t.Errorf("status %d, %v", res.StatusCode, res.Header)
	}
}

func TestADrainIsRefusedWhileThereIsWorkAndStopsNewWorkUntilUndone(t *testing.T) {
	p := serveEngine(t)
	id := p.accept("some game")
	res := p.post(contract.PathDrain, nil)
	if a := decode[contract.Activity](t, res); res.StatusCode != http.StatusConflict || !a.Busy() {
		t.Errorf("drain while busy: %d %+v", res.StatusCode, a)
	}
	p.finish(id)
	wait.Until(t, "the engine is drained", func() bool { return p.post(contract.PathDrain, nil).StatusCode == http.StatusOK })

	refused := p.submit(mint.NewJobID(time.Now()), "late")
	if refused.StatusCode != http.StatusServiceUnavailable || refused.Header.Get(contract.HeaderRefused) != "true" {
		t.Errorf("submission while draining: %d", refused.StatusCode)
	}
	if res := p.submit(id, "some game"); res.StatusCode != http.StatusOK {
		t.Errorf("known job while draining: %d", res.StatusCode)
	}
	if res := p.post(contract.PathUndrain, nil); res.StatusCode != http.StatusOK {
		t.Errorf("undrain: %d", res.StatusCode)
	}
	p.accept("welcome")
}

func TestUnknownJobsRoutesAndMethodsAreRefusedInJSON(t *testing.T) {
	p := serveEngine(t)
	id := p.accept("some game")
	for _, tc := range []struct {
		method, path string
		status       int
	}{
		{http.MethodGet, "/v1/generate/job_unknown/status", http.StatusNotFound},
		{http.MethodGet, "/v1/generate/job_unknown/events", http.StatusNotFound},
		{http.MethodGet, "/v1/generate/job_unknown/files", http.StatusNotFound},
		{http.MethodDelete, "/v1/generate/job_unknown", http.StatusNotFound},
		{http.MethodGet, "/v1/generate/" + id + "/status?projectId=ffffffffffffffffffffffff", http.StatusNotFound},
		{http.MethodGet, contract.PathJobs + "/job_unknown/record", http.StatusNotFound},
		{http.MethodGet, "/nowhere", http.StatusNotFound},
		{http.MethodGet, "/v1/generate", http.StatusMethodNotAllowed},
		{http.MethodPut, "/v1/generate/" + id + "/status", http.StatusMethodNotAllowed},
		{http.MethodPost, contract.PathFence, http.StatusBadRequest},
	} {
		res := p.do(tc.method, tc.path, nil, nil)
		var body struct{ Error string }
		if err := json.NewDecoder(res.Body).Decode(&body); err != nil || body.Error == "" || res.StatusCode != tc.status {
			t.Errorf("%s %s: %d %+v, %v", tc.method, tc.path, res.StatusCode, body, err)
		}
		if (res.StatusCode == http.StatusMethodNotAllowed) != (res.Header.Get("Allow") != "") {
			t.Errorf("%s %s: Allow %q", tc.method, tc.path, res.Header.Get("Allow"))
		}
	}
}

func TestAStopLeavesTheRunningJobForTheNextStart(t *testing.T) {
	volume := t.TempDir()
	p := serveConfig(t, Config{Volume: volume, Generator: held{make(chan struct{})}})
	running, waiting := p.accept("running"), p.accept("waiting")
	started := p.ledger(0, func(rec contract.FeedRecord) bool { return rec.Kind != contract.FeedStarted })
	p.ack(started)
	stream := p.get("/v1/generate/" + running + "/events")
	wait.Until(t, "the stream is counted", func() bool {
		return decode[contract.Activity](t, p.get(contract.PathActivity)).OpenStreams == 1
	})
	if err := p.stop(); err != nil {
		t.Fatalf("stopping with an open stream: %v", err)
	}
	stream.Body.Close()

	h := held{make(chan struct{})}
	close(h.release)
	next := serveConfig(t, Config{Volume: volume, Generator: h})
	ready := decode[contract.Ready](t, next.get(contract.PathReady))
	if ready.FeedID != started.FeedID {
		t.Errorf("feed %s became %s", started.FeedID, ready.FeedID)
	}
	ends := map[string]contract.JobRecord{}
	next.ledger(started.Seq, func(rec contract.FeedRecord) bool {
		if rec.Kind == contract.FeedEnded {
			ends[rec.JobID] = *rec.Record
		}
		return len(ends) < 2
	})
	if r := ends[running]; r.Status != api.JobFailed || r.Failure.Code != api.FailureEngineRestarted {
		t.Errorf("running job: %+v", r)
	}
	if r := ends[waiting]; r.Status != api.JobCompleted {
		t.Errorf("waiting job: %+v", r)
	}
}

func TestASecondEngineOnAVolumeSaysSo(t *testing.T) {
	volume := t.TempDir()
	serveConfig(t, Config{Volume: volume, Generator: held{}})
	err := Serve(t.Context(), Config{
		Volume: volume, Socket: filepath.Join(t.TempDir(), "e"), ProjectID: project, Token: token, Log: zap.NewNop(),
	})
	if err == nil || err.Error() != "another engine uses the volume" {
		t.Errorf("Serve: %v", err)
	}
}
