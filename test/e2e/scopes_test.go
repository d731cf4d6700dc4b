package e2e

import (
	"bytes"
	"net/http"
	"testing"
)

// TestAReadOnlyKeyReadsAndChangesNothing: beside a full key of the same user, in that
// one's project.
func TestAReadOnlyKeyReadsAndChangesNothing(t *testing.T) {
	inEveryForm(t, aReadOnlyKeyReadsAndChangesNothing)
}

func aReadOnlyKeyReadsAndChangesNothing(t *testing.T, f form) {
	s := start(t, f)
	full, reader := s.newKey("demo"), s.newKey("demo", "--scope", "read", "--label", "team=arcade")
	project := s.newProject(full)
	sub := s.generate(full, project, brief)
	s.finish(full, sub)
	job := "/v1/generate/" + sub.JobID
	of := "?projectId=" + project
	for _, path := range []string{
		"/v1/projects", "/v1/projects/" + project, "/v1/models", "/v1/generate" + of, job + "/status" + of, job + "/events" + of, job + "/files" + of,
	} {
		if a := s.call(reader, http.MethodGet, path, nil); a.status != http.StatusOK {
			t.Errorf("GET %s: %d %.200s", path, a.status, a.body)
		}
	}
	for _, tc := range []struct {
		method, path string
		body         any
	}{
		{http.MethodPost, "/v1/projects", map[string]any{"name": "another"}},
		{http.MethodPost, "/v1/generate", map[string]any{"projectId": project, "prompt": brief}},
		{http.MethodDelete, job + of, nil},
		{http.MethodPost, "/v1/projects/" + project + "/publish", map[string]any{"jobId": sub.JobID}},
		{http.MethodDelete, "/v1/projects/" + project + "/publish", nil},
		{http.MethodPost, "/v1/projects/" + project + "/publish/settings", map[string]any{}},
		{http.MethodPost, "/v1/projects/" + project + "/publish/key", map[string]any{}},
		{http.MethodPost, "/v1/projects/" + project + "/experiments", map[string]any{"id": "speed", "values": []string{"1", "2"}}},
		{http.MethodDelete, "/v1/projects/" + project, nil},
	} {
		a := s.call(reader, tc.method, tc.path, tc.body)
		if a.status != http.StatusForbidden || !bytes.Contains(a.body, []byte("The scopes of this API key do not allow this.")) {
			t.Errorf("%s %s: %d %.200s", tc.method, tc.path, a.status, a.body)
		}
	}
	if a := s.call(full, http.MethodDelete, "/v1/projects/"+project, nil); a.status != http.StatusOK {
		t.Errorf("the full key: %d %.200s", a.status, a.body)
	}
}
