package rig

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/wait"
)

// Answer is a response, read whole.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Send sends one request and reads the answer. body is nil, bytes, a string, or a value
// for JSON.
func Send(ctx context.Context, client *http.Client, secret, method, url string, body any, headers ...string) (*http.Request, Answer, error) {
	var reader io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	case []byte:
		reader = bytes.NewReader(b)
	default:
		raw, err := json.Marshal(b)
		if err != nil {
			return nil, Answer{}, err
		}
		reader = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, url, reader)
	if err != nil {
		return nil, Answer{}, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if secret != "" {
		req.Header.Set("X-API-Key", secret)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := client.Do(req)
	if err != nil {
		return req, Answer{}, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	return req, Answer{Status: res.StatusCode, Header: res.Header, Body: raw}, err
}

// Do is Send to the gateway.
func (g *Gateway) Do(ctx context.Context, key Key, method, path string, body any, headers ...string) (Answer, error) {
	_, a, err := Send(ctx, g.HTTP, key.Secret, method, "http://"+g.Addr+path, body, headers...)
	return a, err
}

// Call is Do, and the test ends when there is no answer.
func (g *Gateway) Call(key Key, method, path string, body any, headers ...string) Answer {
	g.t.Helper()
	a, err := g.Do(g.t.Context(), key, method, path, body, headers...)
	if err != nil {
		g.t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

// NewProject makes a project of the key's user, again while the answer is 503.
func (g *Gateway) NewProject(key Key) string {
	g.t.Helper()
	var made api.ProjectCreated
	wait.Until(g.t, "the project is made", func() bool {
		a := g.Call(key, http.MethodPost, "/v1/projects", map[string]string{"name": "game", "template": api.TemplateBlank})
		switch a.Status {
		case http.StatusServiceUnavailable:
			return false
		case http.StatusCreated:
			g.Decode(a.Body, &made)
			return true
		}
		g.t.Fatalf("creating a project: %d %s", a.Status, a.Body)
		return false
	})
	return made.Data.ID
}

// Submit submits a job once.
func (g *Gateway) Submit(ctx context.Context, key Key, project string, headers ...string) (Answer, error) {
	return g.Do(ctx, key, http.MethodPost, "/v1/generate",
		map[string]string{"projectId": project, "prompt": "a yellow duck that flaps through gaps between pipes"}, headers...)
}

// Generate submits a job, again while the answer is 503, as clients do. A disk
// may take longer than AnswerTimeout to store it: what became of a job whose
// answer came too late its Idempotency-Key tells.
func (g *Gateway) Generate(key Key, project string) api.Submission {
	g.t.Helper()
	var sub api.Submission
	once := rand.Text()
	wait.Until(g.t, "the submission is accepted", func() bool {
		a, err := g.Submit(g.t.Context(), key, project, "Idempotency-Key", once)
		if err != nil {
			g.t.Fatal(err)
		}
		switch a.Status {
		case http.StatusServiceUnavailable, http.StatusGatewayTimeout, http.StatusConflict:
			return false
		case http.StatusOK:
			g.Decode(a.Body, &sub)
			return true
		}
		g.t.Fatalf("submitting: %d %s", a.Status, a.Body)
		return false
	})
	return sub
}

// StatusPath is where a job's record is.
func StatusPath(sub api.Submission) string {
	return "/v1/generate/" + sub.JobID + "/status?projectId=" + sub.ProjectID
}

// Job returns a job's record.
func (g *Gateway) Job(key Key, sub api.Submission) api.Job {
	g.t.Helper()
	a := g.Call(key, http.MethodGet, StatusPath(sub), nil)
	if a.Status != http.StatusOK {
		g.t.Fatalf("status: %d %s", a.Status, a.Body)
	}
	var job api.Job
	g.Decode(a.Body, &job)
	return job
}

// statusEvery leaves a key's rate to the clients that a test runs beside it.
const statusEvery = 20 * time.Millisecond

// Finish polls until the job has ended, as clients do: past a 503.
func (g *Gateway) Finish(key Key, sub api.Submission) api.Job {
	g.t.Helper()
	var job api.Job
	var asked time.Time
	wait.Until(g.t, "the job has ended", func() bool {
		if time.Since(asked) < statusEvery {
			return false
		}
		asked = time.Now()
		a := g.Call(key, http.MethodGet, StatusPath(sub), nil)
		if a.Status == http.StatusServiceUnavailable {
			return false
		}
		if a.Status != http.StatusOK {
			g.t.Fatalf("status: %d %s", a.Status, a.Body)
		}
		g.Decode(a.Body, &job)
		return job.Status.Terminal()
	})
	return job
}

// Decode reads JSON.
func (g *Gateway) Decode(raw []byte, dst any) {
	g.t.Helper()
	if err := json.Unmarshal(raw, dst); err != nil {
		g.t.Fatalf("decoding %q: %v", raw, err)
	}
}
