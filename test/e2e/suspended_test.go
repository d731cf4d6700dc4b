package e2e

import (
	"bytes"
	"net/http"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
)

// TestASuspendedUserIsRefusedAtOnce: by every key of the user, for every action, with
// the rule that says so; the user's streams end, and jobs run on.
func TestASuspendedUserIsRefusedAtOnce(t *testing.T) { inEveryForm(t, aSuspendedUserIsRefusedAtOnce) }

func aSuspendedUserIsRefusedAtOnce(t *testing.T, f form) {
	s := start(t, f)
	key, second, other := s.newKey("alice"), s.newKey("alice"), s.newKey("demo")
	reader, jobs := s.openStream(key, 3)
	release := s.holdEngines() // the stream must not end by itself
	s.svc("admin", "user", "suspend", "alice")
	suspended := time.Now()
	if reason := closing(t, reader); reason != "access_lost" && reason != "key_unchecked" {
		t.Errorf("the stream ended with %q", reason)
	}
	for _, k := range []apiKey{key, second} {
		s.eventually("alice is refused", func() bool { return s.call(k, http.MethodGet, "/v1/projects", nil).status == http.StatusForbidden })
	}
	t.Logf("refused after %s", time.Since(suspended))
	of := "?projectId=" + jobs[0].ProjectID
	for _, path := range []string{"/v1/models", "/v1/projects/" + jobs[0].ProjectID, "/v1/generate" + of, "/v1/generate/" + jobs[0].JobID + "/status" + of} {
		if a := s.call(key, http.MethodGet, path, nil); a.status != http.StatusForbidden || !bytes.Contains(a.body, []byte("This user is suspended.")) {
			t.Errorf("GET %s: %d %s", path, a.status, a.body)
		}
	}
	if a := s.call(second, http.MethodPost, "/v1/projects", map[string]any{"name": "another"}); a.status != http.StatusForbidden {
		t.Errorf("a new project: %d", a.status)
	}
	if a := s.call(other, http.MethodGet, "/v1/projects", nil); a.status != http.StatusOK {
		t.Errorf("another user: %d", a.status)
	}
	release()
	s.svc("admin", "user", "resume", "alice")
	s.eventually("alice is let in", func() bool { return s.call(key, http.MethodGet, "/v1/projects", nil).status == http.StatusOK })
	for _, sub := range jobs {
		if job := s.finish(key, sub); job.Status != api.JobCompleted {
			t.Errorf("job %s is %s", sub.JobID, job.Status)
		}
	}
}
