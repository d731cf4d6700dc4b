package gateway

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
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
		f := &fakeSidecar{decision: tc.decision}
		a := &Access{Sidecar: f, Routes: NewRoutes()}
		q := &Request{KeyID: "k", UserID: "u"}
		refused := a.check(httptest.NewRecorder(), httptest.NewRequest("GET", "/v1/generate"+query, nil), q)
		status := 0
		if refused != nil {
			status = refused.Status
		}
		if status != tc.want || !slices.Equal(f.decided, tc.decided) {
			t.Errorf("%q: %d, want %d; decided %q, want %q", query, status, tc.want, f.decided, tc.decided)
		}
	}
}

// TestListOfAllJobsHasThoseOfProjectsThatThePolicyShows: one that a rule hides is in no
// list, and each project of a page is decided on once.
func TestListOfAllJobsHasThoseOfProjectsThatThePolicyShows(t *testing.T) {
	of := func(id, project string) sidecar.Job { return sidecar.Job{Job: api.Job{JobID: id, ProjectID: project}} }
	f := &fakeSidecar{decision: allowed, withheld: foreign, page: sidecar.JobPage{
		Jobs: []sidecar.Job{of("a", project), of("b", foreign), of("c", project), of("d", foreign)}, Next: "d",
	}}
	l := &Locator{Sidecar: f}
	ask := func(q *Request) (api.JobList, error) {
		w := httptest.NewRecorder()
		err := l.listJobs(w, httptest.NewRequest("GET", "/v1/generate", nil), q)
		var list api.JobList
		if err == nil {
			err = json.Unmarshal(w.Body.Bytes(), &list)
		}
		return list, err
	}
	list, err := ask(&Request{KeyID: "k", UserID: "u"})
	if err != nil || len(list.Data) != 2 || list.Data[0].JobID != "a" || list.Data[1].JobID != "c" || list.NextCursor != "d" {
		t.Errorf("%+v, %v", list, err)
	}
	if want := []string{"projects.get " + project, "projects.get " + foreign}; !slices.Equal(f.decided, want) {
		t.Errorf("decided %q, want %q", f.decided, want)
	}
	f.decided = nil
	if list, err := ask(&Request{KeyID: "k", UserID: "u", ProjectID: project}); err != nil || len(list.Data) != 4 || f.decided != nil {
		t.Errorf("of a project, which svc_access decided on: %+v, %v; decided %q", list, err, f.decided)
	}
	f.decideErr = errDown
	var refused *answers.Error
	if _, err := ask(&Request{KeyID: "k", UserID: "u"}); !errors.As(err, &refused) || refused.Status != http.StatusServiceUnavailable {
		t.Errorf("without a decision: %v", err)
	}
}

// TestEngineIsStartedForTheOwnerOfItsProject: engines are shared out among owners, also
// where the policy lets others submit.
func TestEngineIsStartedForTheOwnerOfItsProject(t *testing.T) {
	for _, tc := range []struct{ key, others, want string }{{"alice", "", "alice"}, {"bob", "alice", "alice"}} {
		shared := allowed
		shared.OwnerID = tc.others
		engines := &fakeEngines{submitErr: errDown}
		a := &Access{Sidecar: &fakeSidecar{decision: shared}, Routes: NewRoutes()}
		l := &Locator{Engines: engines, Now: time.Now}
		q := &Request{KeyID: "k", UserID: tc.key}
		r := httptest.NewRequest("POST", "/v1/generate", strings.NewReader(`{"projectId":"`+project+`","prompt":"a duck"}`))
		r.Header.Set("Content-Type", "application/json")
		_ = a.Serve(httptest.NewRecorder(), r, q, func(w http.ResponseWriter, r *http.Request) error { return l.Serve(w, r, q, nil) })
		if engines.asked.ID != project || engines.asked.OwnerID != tc.want {
			t.Errorf("%s's submission starts the engine of %+v, want it for %s", tc.key, engines.asked, tc.want)
		}
	}
}
