package contract

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"time"

	"github.com/svc-games/svc/api"
	wire "github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/test/wait"
)

// sessionID is that of every submission.
const sessionID = "ses_01JD0000000000000000000000"

// call is one request to an engine.
type call struct {
	method string // default GET
	path   string
	body   []byte
	header map[string]string
	token  string // default the instance's
}

// answer is an engine's whole answer.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// open sends a request and returns the answer before its body is read.
func (e *engine) open(ctx context.Context, c call) (*http.Response, error) {
	c.method = cmp.Or(c.method, http.MethodGet)
	base := "http://engine"
	if e.remote != nil {
		base = "https://" + e.remote.address
	}
	req, err := http.NewRequestWithContext(ctx, c.method, base+c.path, bytes.NewReader(c.body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+e.token)
	if c.token != "" {
		req.Header.Set("Authorization", c.token)
	}
	for name, value := range c.header {
		req.Header.Set(name, value)
	}
	return e.http.Do(req)
}

// try sends a request to an engine that may not be there.
func (e *engine) try(c call) (answer, error) {
	ctx, cancel := wait.Context(e.t)
	defer cancel()
	res, err := e.open(ctx, c)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, res.Header, body}, err
}

// do sends a request that must be answered, in the instance's name.
func (e *engine) do(c call) answer {
	e.t.Helper()
	a, err := e.try(c)
	if err != nil {
		e.t.Fatalf("%s %s: %v", c.method, c.path, err)
	}
	if got := a.header.Get(wire.HeaderInstance); got != e.instanceID {
		e.t.Errorf("%s %s: the answer is that of instance %q, not of %s", c.method, c.path, got, e.instanceID)
	}
	return a
}

func (e *engine) get(path string) answer {
	e.t.Helper()
	return e.do(call{path: path})
}

func (e *engine) post(path string, body any) answer {
	e.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		e.t.Fatal(err)
	}
	return e.do(call{method: http.MethodPost, path: path, body: data})
}

// expect fails the test unless the answer has the status.
func (e *engine) expect(what string, a answer, status int) answer {
	e.t.Helper()
	if a.status != status {
		e.t.Fatalf("%s: %d, want %d: %s", what, a.status, status, a.body)
	}
	return a
}

// expectError is expect for a refusal, whose body says why in JSON.
func (e *engine) expectError(what string, a answer, status int) {
	e.t.Helper()
	var body struct {
		Error string `json:"error"`
	}
	if a.status != status {
		e.t.Errorf("%s: %d, want %d: %s", what, a.status, status, a.body)
	} else if err := json.Unmarshal(a.body, &body); err != nil || body.Error == "" {
		e.t.Errorf("%s: the refusal is no {error}: %s", what, a.body)
	}
}

// expectRefused is expectError for a submission that is certain not to be accepted.
func (e *engine) expectRefused(what string, a answer, status int) {
	e.t.Helper()
	e.expectError(what, a, status)
	if a.header.Get(wire.HeaderRefused) != "true" {
		e.t.Errorf("%s: the refusal is not marked", what)
	}
}

func decode[T any](e *engine, a answer) T {
	e.t.Helper()
	var out T
	if err := json.Unmarshal(a.body, &out); err != nil {
		e.t.Fatalf("this is not the JSON that is expected: %v: %s", err, a.body)
	}
	return out
}

// submission is a request for a job under an id.
func (e *engine) submission(id string, req map[string]any) call {
	e.t.Helper()
	body := map[string]any{"projectId": e.projectID, "prompt": defaultPrompt + ", " + marker}
	maps.Copy(body, req)
	data, err := json.Marshal(body)
	if err != nil {
		e.t.Fatal(err)
	}
	return call{method: http.MethodPost, path: "/v1/generate", body: data, header: map[string]string{wire.HeaderJobID: id, wire.HeaderSessionID: sessionID}}
}

// accept submits a job, which must be accepted.
func (e *engine) accept() (id string) {
	e.t.Helper()
	return e.acceptRequest(nil)
}

// begin submits a job and reads the feed up to its start, which is left unacknowledged.
func (e *engine) begin() (id string) {
	e.t.Helper()
	id = e.accept()
	e.feed.until(wire.FeedStarted, id)
	return id
}

func (e *engine) acceptRequest(req map[string]any) string {
	e.t.Helper()
	id := mint.NewJobID(time.Now())
	e.expect("submission", e.do(e.submission(id, req)), http.StatusOK)
	return id
}

// route returns the path of a public route of a job.
func (e *engine) route(id, name string) string {
	return "/v1/generate/" + id + name + "?projectId=" + e.projectID
}

func (e *engine) status(id string) wire.JobRecord {
	e.t.Helper()
	return decode[wire.JobRecord](e, e.expect("status", e.get(e.route(id, "/status")), http.StatusOK))
}

// stored returns a part of a job as it is on disk.
func (e *engine) stored(id, part string) answer {
	e.t.Helper()
	return e.expect("stored "+part, e.get(wire.PathJobs+"/"+id+"/"+part), http.StatusOK)
}

// record returns a job's stored record, its end seen or not.
func (e *engine) record(id string) wire.JobRecord {
	e.t.Helper()
	return decode[wire.JobRecord](e, e.stored(id, "record"))
}

func (e *engine) activity() wire.Activity {
	e.t.Helper()
	return decode[wire.Activity](e, e.expect("activity", e.get(wire.PathActivity), http.StatusOK))
}

func (e *engine) list() []wire.JobRecord {
	e.t.Helper()
	return decode[wire.JobList](e, e.expect("jobs", e.get(wire.PathJobs), http.StatusOK)).Jobs
}

// cancel returns the record of the job, which has ended.
func (e *engine) cancel(id string) wire.JobRecord {
	e.t.Helper()
	a := e.do(call{method: http.MethodDelete, path: e.route(id, "")})
	return decode[wire.JobRecord](e, e.expect("cancelling", a, http.StatusOK))
}

// storedEvents returns the stored events of a job, which must be sound.
func (e *engine) storedEvents(id string) []api.Event {
	e.t.Helper()
	var events []api.Event
	for line := range bytes.Lines(e.stored(id, "events").body) {
		events = append(events, e.checkEvent(id, uint64(len(events))+1, bytes.TrimSuffix(line, []byte("\n"))))
	}
	return events
}
