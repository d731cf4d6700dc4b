package gateway

import (
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/svc-games/svc/policy"
)

// TestListOfJobsIsDecidedByTheProjectThatItNames: a rule about projects holds for the
// list of their jobs.
func TestListOfJobsIsDecidedByTheProjectThatItNames(t *testing.T) {
	denied := policy.Decision{Status: 403, Error: "no"}
	for query, tc := range map[string]struct {
		decision policy.Decision
		want     int // 0 means let through
		decided  []string
	}{
		"":                      {allowed, 0, []string{"jobs.list "}},
		"?status=queued":        {allowed, 0, []string{"jobs.list "}},
		"?projectId=" + project: {allowed, 0, []string{"projects.jobs " + project}},
		"?projectId=" + foreign: {denied, 403, []string{"projects.jobs " + foreign}},
		"?projectId=x":          {allowed, 400, nil},
		"?projectId=":           {allowed, 400, nil},
		"?projectId=" + project + "&projectId=" + project: {allowed, 400, nil},
	} {
		routes, err := NewRoutes()
		if err != nil {
			t.Fatal(err)
		}
		f := &fakeSidecar{decision: tc.decision}
		a := &Access{Sidecar: f, Routes: routes}
		q := &Request{KeyID: "k", UserID: "u"}
		refused := a.check(httptest.NewRecorder(), httptest.NewRequest("GET", "/v1/generate"+query, nil), q)
		status := 0
		if refused != nil {
			status = refused.Status
		}
		if status != tc.want || !slices.Equal(f.decided, tc.decided) {
			t.Errorf("%q: %d, want %d; decided %q, want %q", query, status, tc.want, f.decided, tc.decided)
		}
		routes.Close()
	}
}
