package client

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
)

// TestASubmissionIsAHandleOfItsJob: each method asks for the job that was accepted.
func TestASubmissionIsAHandleOfItsJob(t *testing.T) {
	content := []byte("a game")
	var asked []string
	c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+strings.ReplaceAll(r.URL.RequestURI(), testJob, "JOB"))
		switch {
		case r.URL.Path == "/v1/generate":
			accepted(w, r)
		case strings.HasSuffix(r.URL.Path, "/events"):
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprint(w, "id: 1\ndata: {\"seq\":1,\"type\":\"job.progress\",\"percent\":40}\n\n"+
				"id: 2\ndata: {\"seq\":2,\"type\":\"job.praised\"}\n\n"+block(3, api.EventCompleted))
		case strings.HasSuffix(r.URL.Path, "/token"):
			writeJSON(w, 200, api.StreamToken{Token: "st_1"})
		case strings.HasSuffix(r.URL.Path, "/publish"):
			writeJSON(w, 200, api.Published{Data: api.Publication{JobID: testJob}})
		default:
			filesService(content, sumOf(content))(w, r)
		}
	})
	job, err := c.Generate(t.Context(), request())
	if err != nil || job.JobID != testJob || job.ProjectID != testProject || job.SessionID != submission.SessionID {
		t.Fatalf("got %+v, %v", job, err)
	}
	var events []string
	for event, err := range job.Events(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := event.(type) {
		case JobProgress:
			events = append(events, fmt.Sprintf("%d %%", e.Percent))
		case Unknown:
			events = append(events, "unknown "+e.Raw().Type)
		default:
			events = append(events, fmt.Sprintf("%T", e))
		}
	}
	if want := []string{"40 %", "unknown job.praised", "client.JobCompleted"}; !slices.Equal(events, want) {
		t.Errorf("events %q, want %q", events, want)
	}
	record, err := job.Wait(t.Context())
	if err != nil || record.Status != api.JobCompleted {
		t.Errorf("waited for %+v, %v", record, err)
	}
	if _, err := job.Download(t.Context(), filepath.Join(t.TempDir(), "game.zip")); err != nil {
		t.Error(err)
	}
	if _, err := job.Cancel(t.Context()); err != nil {
		t.Error(err)
	}
	if token, err := job.StreamToken(t.Context()); err != nil || token.Token != "st_1" {
		t.Errorf("got %+v, %v", token, err)
	}
	if made, err := c.Job(testJob, "").Publish(t.Context()); err != nil || made.JobID != testJob {
		t.Errorf("published %+v, %v", made, err)
	}
	of := "?projectId=" + testProject
	if want := []string{
		"POST /v1/generate", "GET /v1/generate/JOB/events" + of,
		"GET /v1/generate/JOB/status" + of, // Wait
		"GET /v1/generate/JOB/status" + of, "GET /v1/generate/JOB/files" + of,
		"DELETE /v1/generate/JOB" + of, "POST /v1/generate/JOB/events/token" + of,
		"GET /v1/generate/JOB/status", "POST /v1/projects/" + testProject + "/publish",
	}; !slices.Equal(asked, want) {
		t.Errorf("asked\n%s\nwant\n%s", strings.Join(asked, "\n"), strings.Join(want, "\n"))
	}
}

func TestEventsOfAHandleEndWithARefusalAndWhenTheConsumerStops(t *testing.T) {
	c, _ := serve(t, (&streams{texts: []string{block(1, "job.queued"), "401"}}).ServeHTTP)
	var seen []any
	for event, err := range c.Job(testJob, testProject).Events(t.Context(), 0) {
		seen = append(seen, event, err)
	}
	if len(seen) != 4 || seen[2] != nil || seen[3] == nil {
		t.Errorf("saw %v, want an event and a refusal", seen)
	}
	c, _ = serve(t, (&streams{texts: []string{block(1, "job.queued") + block(2, "job.started")}}).ServeHTTP)
	for range c.Job(testJob, testProject).Events(t.Context(), 0) {
		break
	}
}
