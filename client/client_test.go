package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
)

const (
	testKey     = "sk-test"
	testProject = "0123456789abcdef01234567"
	testJob     = "job_01J00000000000000000000000"
)

// manualClock moves only when somebody sleeps.
type manualClock struct {
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
}

func (c *manualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *manualClock) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.slept = append(c.slept, d)
	return nil
}

// serve starts a service and returns a client of it whose clock is manual.
func serve(t *testing.T, handler http.HandlerFunc) (*Client, *manualClock) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	clock := &manualClock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	c, err := New(Options{APIKey: testKey, BaseURL: server.URL, Now: clock.Now, Sleep: clock.Sleep})
	if err != nil {
		t.Fatal(err)
	}
	return c, clock
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func record(status api.JobStatus, percent int) api.Job {
	return api.Job{
		JobID: testJob, ProjectID: testProject, Status: status,
		Progress: api.Progress{Stage: api.StageBuilding, Percent: percent, Message: "Building"},
	}
}

func TestNewRefusesWhatCanNotWork(t *testing.T) {
	for name, opts := range map[string]Options{
		"no key":      {},
		"two keys":    {APIKey: testKey + "\n" + testKey},
		"a cut key":   {APIKey: "sk-…"},
		"no scheme":   {APIKey: testKey, BaseURL: "localhost:8080"},
		"other sort":  {APIKey: testKey, BaseURL: "ftp://example.com"},
		"no host":     {APIKey: testKey, BaseURL: "http://"},
		"not a URL":   {APIKey: testKey, BaseURL: "http://a b"},
		"only a path": {APIKey: testKey, BaseURL: "/v1"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := New(opts); err == nil {
				t.Error("it was accepted")
			}
		})
	}
}

func TestCreateProjectSendsTheDocumentedBody(t *testing.T) {
	c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if want := `{"name":"Space Rocks","template":"blank"}`; string(body) != want {
			t.Errorf("body %s, want %s", body, want)
		}
		if got := r.Header.Get("Authorization"); got != "Bearer "+testKey {
			t.Errorf("Authorization %q", got)
		}
		writeJSON(w, http.StatusCreated, api.ProjectCreated{Success: true, Data: api.ProjectCreatedRef{ID: testProject, Name: "Space Rocks"}})
	})
	got, err := c.CreateProject(t.Context(), api.ProjectRequest{Name: "Space Rocks"})
	if err != nil || got.ID != testProject {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestProjectsReadsEveryPage(t *testing.T) {
	pages := map[string]api.ProjectList{
		"":  {Data: []api.Project{{ID: "a"}, {ID: "b"}}, NextCursor: "x"},
		"x": {Data: []api.Project{{ID: "c"}}},
	}
	c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, http.StatusOK, pages[r.URL.Query().Get("after")])
	})
	var ids string
	for project, err := range c.Projects(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		ids += project.ID
	}
	if ids != "abc" {
		t.Errorf("got %q, want abc", ids)
	}
}

func TestRefusalsAreTypedErrors(t *testing.T) {
	for _, tt := range []struct {
		status int
		body   string
		kind   error
		want   Error
	}{
		{401, `{"error":"No.","reason":"revoked"}`, ErrUnauthorized, Error{Message: "No.", Reason: "revoked"}},
		{403, `{"error":"No."}`, ErrForbidden, Error{Message: "No."}},
		{404, `{"error":"No."}`, ErrNotFound, Error{Message: "No."}},
		{409, `{"error":"No."}`, ErrConflict, Error{Message: "No."}},
		{413, `{"error":"No."}`, ErrBadRequest, Error{Message: "No."}},
		{429, `{"error":"No.","reason":"limit_exceeded","limit":"jobsPerDay"}`, ErrLimitExceeded,
			Error{Message: "No.", Reason: "limit_exceeded", Limit: "jobsPerDay"}},
		{503, `{"error":"No.","retryAfterSeconds":7}`, ErrUnavailable, Error{Message: "No.", RetryAfter: 7 * time.Second}},
		{502, `<html>`, ErrUnavailable, Error{Message: "Bad Gateway"}},
	} {
		t.Run(fmt.Sprint(tt.status), func(t *testing.T) {
			c, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-Request-Id", "req_1")
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			})
			_, err := c.Status(t.Context(), Job{ID: testJob, ProjectID: testProject})
			var got *Error
			if !errors.As(err, &got) || !errors.Is(err, tt.kind) {
				t.Fatalf("got %v, want a %v", err, tt.kind)
			}
			if got.StatusCode != tt.status || got.Message != tt.want.Message || got.Reason != tt.want.Reason ||
				got.Limit != tt.want.Limit || got.RetryAfter != tt.want.RetryAfter || got.RequestID != "req_1" {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestErrorsDoNotHoldTheKey(t *testing.T) {
	c, err := New(Options{APIKey: testKey, BaseURL: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Status(t.Context(), Job{ID: testJob})
	if err == nil || strings.Contains(err.Error(), testKey) {
		t.Errorf("got %v", err)
	}
}
