package e2e

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/test/wait"
)

const brief = "a yellow duck that flaps through gaps between pipes"

func sorted(names []string) []string {
	slices.Sort(names)
	return names
}

// newProject creates a project and returns its id.
func (s *service) newProject(key apiKey) string {
	s.t.Helper()
	a := s.call(key, "POST", "/v1/projects", map[string]string{"name": "Duck", "template": "blank"})
	if a.status != http.StatusCreated {
		s.t.Fatalf("creating a project: %d %s", a.status, a.body)
	}
	var made api.ProjectCreated
	s.decode(a.body, &made)
	return made.Data.ID
}

// generate submits a job, again while the engine starts, as clients do. Its game
// is simulated no more than it must be: what a job costs is the time of these tests.
func (s *service) generate(key apiKey, project, prompt string) api.Submission {
	s.t.Helper()
	return s.submit(key, map[string]any{
		"projectId": project, "prompt": prompt, "settings": map[string]any{"reasoningLevel": api.ReasoningLow},
	})
}

// submit is generate with a body of one's own.
func (s *service) submit(key apiKey, body map[string]any) api.Submission {
	s.t.Helper()
	var sub api.Submission
	s.eventually("the submission is accepted", func() bool {
		a := s.call(key, "POST", "/v1/generate", body)
		if a.status == http.StatusServiceUnavailable {
			return false
		}
		if a.status != http.StatusOK {
			s.t.Fatalf("submitting: %d %s", a.status, a.body)
		}
		if got := s.members(a.body); got != "jobId projectId sessionId status" {
			s.t.Errorf("members of the submission are %s", got)
		}
		s.decode(a.body, &sub)
		return true
	})
	return sub
}

// status asks for a job's record, again while a busy machine is late to decide
// whether that is allowed, as clients do.
func (s *service) status(key apiKey, sub api.Submission) api.Job {
	s.t.Helper()
	var job api.Job
	s.eventually("the status is told", func() bool {
		a := s.call(key, "GET", "/v1/generate/"+sub.JobID+"/status?projectId="+sub.ProjectID, nil)
		if a.status == http.StatusServiceUnavailable {
			return false
		}
		if a.status != http.StatusOK {
			s.t.Fatalf("status: %d %s", a.status, a.body)
		}
		s.decode(a.body, &job)
		return true
	})
	return job
}

// finish polls until the job has ended.
func (s *service) finish(key apiKey, sub api.Submission) api.Job {
	s.t.Helper()
	var job api.Job
	s.eventually("the job has ended", func() bool {
		job = s.status(key, sub)
		return job.Status.Terminal()
	})
	return job
}

// events opens a job's stream after an event id.
func (s *service) events(key apiKey, sub api.Submission, lastEventID string) *http.Response {
	s.t.Helper()
	ctx, cancel := wait.Within(s.t.Context(), wait.Patience)
	s.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet,
		"http://"+s.addr+"/v1/generate/"+sub.JobID+"/events?projectId="+sub.ProjectID, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key.Secret)
	if lastEventID != "" {
		req.Header.Set("Last-Event-ID", lastEventID)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { resp.Body.Close() })
	resp.Body = &checkedStream{ReadCloser: resp.Body, atEnd: func(body []byte) {
		s.documented(req, answer{resp.StatusCode, resp.Header, body})
	}}
	return resp
}

// checkedStream has a stream checked once it was read to its end.
type checkedStream struct {
	io.ReadCloser
	read  bytes.Buffer
	atEnd func(body []byte)
}

func (c *checkedStream) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.read.Write(p[:n])
	if err == io.EOF && c.atEnd != nil {
		c.atEnd(c.read.Bytes())
		c.atEnd = nil
	}
	return n, err
}

// readEvents reads a stream to its end.
func (s *service) readEvents(r io.Reader) []sse.Record {
	s.t.Helper()
	var records []sse.Record
	reader := sse.NewReader(r)
	for {
		rec, err := reader.Next()
		if err == io.EOF {
			return records
		}
		if err != nil {
			s.t.Fatalf("after %d events: %v", len(records), err)
		}
		records = append(records, rec)
	}
}

func (s *service) download(key apiKey, sub api.Submission) *zip.Reader {
	s.t.Helper()
	a := s.call(key, "GET", "/v1/generate/"+sub.JobID+"/files?projectId="+sub.ProjectID, nil)
	if a.status != http.StatusOK || a.header.Get("Content-Type") != "application/zip" {
		s.t.Fatalf("files: %d %s %s", a.status, a.header.Get("Content-Type"), a.body[:min(len(a.body), 200)])
	}
	archive, err := zip.NewReader(bytes.NewReader(a.body), int64(len(a.body)))
	if err != nil {
		s.t.Fatal(err)
	}
	return archive
}

func TestClientFlowFromBriefToGame(t *testing.T) {
	inEveryForm(t, clientFlowFromBriefToGame)
}

func clientFlowFromBriefToGame(t *testing.T, f form) {
	s := start(t, f)
	key := s.newKey("demo")

	a := s.call(key, "POST", "/v1/projects", map[string]string{"name": "Duck", "template": "blank", "description": "d"})
	if a.status != http.StatusCreated || s.members(a.body) != "data success" {
		t.Fatalf("creating a project: %d %s", a.status, a.body)
	}
	var made api.ProjectCreated
	s.decode(a.body, &made)
	if !made.Success || !api.ValidProjectID(made.Data.ID) || made.Data.Name != "Duck" {
		t.Fatalf("the project is %s", a.body)
	}

	sub := s.generate(key, made.Data.ID, brief)
	if !api.ValidJobID(sub.JobID) || sub.ProjectID != made.Data.ID || sub.Status != api.JobQueued || !strings.HasPrefix(sub.SessionID, "ses_") {
		t.Fatalf("the submission is %+v", sub)
	}

	records := s.readEvents(s.events(key, sub, "").Body)
	checkLog(t, records)
	if !slices.ContainsFunc(records, func(r sse.Record) bool { return r.Type == api.EventFileChanged }) {
		t.Errorf("the log has no %s", api.EventFileChanged)
	}
	last := records[len(records)-1]
	if last.Type != api.EventCompleted {
		t.Fatalf("the last event is %s: %s", last.Type, last.Data)
	}

	// The client has seen the end: the status, the slot and the ZIP are there.
	job := s.status(key, sub)
	if job.Status != api.JobCompleted || job.LastEventID != last.ID || job.TIKSpent != api.MicroPerTIK ||
		job.SessionID != sub.SessionID || job.Files == nil || job.Progress.Percent != 100 || job.Progress.Stage != api.StageDone {
		t.Errorf("the record is %+v", job)
	}
	names := map[string]bool{}
	for _, f := range s.download(key, sub).File {
		names[f.Name] = true
	}
	if !names["index.html"] || !names["game.js"] {
		t.Errorf("the ZIP holds %v", names)
	}

	s.checkEnded(key, sub, records)
	t.Run("a change request changes the same game", func(t *testing.T) {
		change := s.generate(key, made.Data.ID, "make it faster and pink")
		if change.SessionID != sub.SessionID {
			t.Errorf("the session changed from %s to %s", sub.SessionID, change.SessionID)
		}
		if job := s.finish(key, change); job.Status != api.JobCompleted {
			t.Fatalf("the change is %+v", job)
		}
		before, after := gameJSON(t, s.download(key, sub)), gameJSON(t, s.download(key, change))
		if before == after {
			t.Error("src/game.json is the same after the change")
		}
	})
}

// checkEnded asks for all that there is of an ended job, whose log a client has
// read.
func (s *service) checkEnded(key apiKey, sub api.Submission, records []sse.Record) {
	t, last := s.t, records[len(records)-1]
	t.Run("the log of the ended job is served again, resumed and ended with 204", func(t *testing.T) {
		again := s.readEvents(s.events(key, sub, "").Body)
		if len(again) != len(records) || string(again[len(again)-1].Data) != string(last.Data) {
			t.Errorf("the replay has %d events, the stream had %d", len(again), len(records))
		}
		if rest := s.readEvents(s.events(key, sub, "2").Body); len(rest) != len(records)-2 || rest[0].ID != 3 {
			t.Errorf("after 2 there are %d events", len(rest))
		}
		if resp := s.events(key, sub, itoa(last.ID)); resp.StatusCode != http.StatusNoContent {
			t.Errorf("resuming at the end: %d", resp.StatusCode)
		}
	})
	t.Run("the ZIP has an ETag, ranges and 304", func(t *testing.T) {
		path := "/v1/generate/" + sub.JobID + "/files?projectId=" + sub.ProjectID
		whole := s.call(key, "GET", path, nil)
		if part := s.call(key, "GET", path, nil, "Range", "bytes=0-3"); part.status != http.StatusPartialContent || string(part.body) != string(whole.body[:4]) {
			t.Errorf("range: %d %q", part.status, part.body)
		}
		if same := s.call(key, "GET", path, nil, "If-None-Match", whole.header.Get("ETag")); same.status != http.StatusNotModified {
			t.Errorf("If-None-Match: %d", same.status)
		}
	})
	t.Run("without projectId the job is found by its row", func(t *testing.T) {
		if a := s.call(key, "GET", "/v1/generate/"+sub.JobID+"/status", nil); a.status != http.StatusOK {
			t.Errorf("%d %s", a.status, a.body)
		}
	})
	t.Run("DELETE of the ended job answers its record", func(t *testing.T) {
		a := s.call(key, "DELETE", "/v1/generate/"+sub.JobID+"?projectId="+sub.ProjectID, nil)
		if a.status != http.StatusOK || !strings.Contains(string(a.body), `"completed"`) {
			t.Errorf("%d %s", a.status, a.body)
		}
	})
}

// checkLog checks what holds for every complete event log.
func checkLog(t *testing.T, records []sse.Record) {
	t.Helper()
	types := map[string]int{}
	for i, rec := range records {
		types[rec.Type]++
		if rec.ID != uint64(i+1) {
			t.Errorf("event %d, %s, has id %d", i+1, rec.Type, rec.ID)
		}
		if api.TerminalEvent(rec.Type) != (i == len(records)-1) {
			t.Errorf("event %d of %d is %s", i+1, len(records), rec.Type)
		}
		if len(rec.Data) > api.MaxEventData {
			t.Errorf("event %d has %d bytes", rec.ID, len(rec.Data))
		}
	}
	for _, want := range []string{
		api.EventQueued, api.EventStarted, api.EventProgress, api.EventAssistantMessage, api.EventToolCall, api.EventToolResult,
		api.EventBuildResult, api.EventAuditResult, api.EventPlaytestResult, api.EventUsage,
	} {
		if types[want] == 0 {
			t.Errorf("the log has no %s", want)
		}
	}
}

func gameJSON(t *testing.T, archive *zip.Reader) string {
	t.Helper()
	f, err := archive.Open("src/game.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	raw, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestARetriedSubmissionIsOneJob(t *testing.T) {
	inEveryForm(t, aRetriedSubmissionIsOneJob)
}

func aRetriedSubmissionIsOneJob(t *testing.T, f form) {
	s := start(t, f)
	key := s.newKey("demo", "--jobs-per-day", "1")
	project := s.newProject(key)
	body := map[string]string{"projectId": project, "prompt": brief}
	submit := func(body any) answer { return s.call(key, "POST", "/v1/generate", body, "Idempotency-Key", "once") }

	var first answer
	s.eventually("the engine has started", func() bool {
		first = submit(body)
		return first.status != http.StatusServiceUnavailable
	})
	if first.status != http.StatusOK || first.header.Get("Idempotent-Replayed") != "" {
		t.Fatalf("%d %s", first.status, first.body)
	}
	var made, again api.Submission
	s.decode(first.body, &made)
	s.finish(key, made)

	// The key's one job of the day is used, and the replay is free.
	second := submit(body)
	s.decode(second.body, &again)
	if second.status != http.StatusOK || second.header.Get("Idempotent-Replayed") != "true" || again.JobID != made.JobID {
		t.Errorf("the replay is %d %s", second.status, second.body)
	}
	if other := submit(map[string]string{"projectId": project, "prompt": "another"}); other.status != http.StatusUnprocessableEntity {
		t.Errorf("another body: %d %s", other.status, other.body)
	}
	if u := s.usage(key); u.JobsThisMonth != 1 {
		t.Errorf("usage is %+v", u)
	}
}

func TestColdStartAnswers503AndTakesNothing(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f, "SVC_ENGINE_START_DELAY=8s") // well over the 2 s that a submission is held
	key := s.newKey("demo", "--jobs-per-day", "1")
	project := s.newProject(key)
	body := map[string]string{"projectId": project, "prompt": brief}

	a := s.call(key, "POST", "/v1/generate", body)
	if a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") != "30" || s.members(a.body) != "error retryAfterSeconds" ||
		!strings.Contains(string(a.body), `"retryAfterSeconds":30`) {
		t.Fatalf("the cold start answers %d %v %s", a.status, a.header, a.body)
	}
	if u := s.usage(key); u.JobsThisMonth != 0 || u.RunningJobs != 0 {
		t.Errorf("usage after the refusal is %+v", u)
	}
	// The key has one job a day: if the refusal had counted, this would be 429.
	sub := s.generate(key, project, brief)
	if s.finish(key, sub).Status != api.JobCompleted {
		t.Error("the job did not complete")
	}
	if u := s.usage(key); u.JobsThisMonth != 1 || u.RunningJobs != 0 {
		t.Errorf("usage after the job is %+v", u)
	}
}

// usage is a key's usage as svc admin prints it. Tests count in months, since a
// day may end in each; the ledger's tests, which have a clock, count both.
type usage struct {
	JobsThisMonth int64   `json:"jobsThisMonth"`
	RunningJobs   int64   `json:"runningJobs"`
	TIKThisMonth  api.TIK `json:"tikThisMonth"`
}

func (s *service) usage(key apiKey) usage {
	s.t.Helper()
	var u usage
	s.decode([]byte(s.svc("admin", "key", "usage", key.ID, "--json")), &u)
	return u
}
