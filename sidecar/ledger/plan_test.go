package ledger

import (
	"strings"
	"testing"

	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/storetest"
)

func TestForgettingJobsReadsThoseAlone(t *testing.T) {
	s := storetest.Open(t, storetest.Databases[0].New(t))
	var plan string
	if err := s.View(t.Context(), func(r *store.Reader) error {
		var id, parent, unused int
		return r.Row("EXPLAIN QUERY PLAN "+selectResolved, 1, expireBatch).Scan(&id, &parent, &unused, &plan)
	}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(plan, "INDEX jobs_resolved (resolved_at<?)") {
		t.Errorf("the plan is %s", plan)
	}
}

// TestListsOfJobsReadWhatTheyShow: a project's page reads its rows alone, in order, and
// a user's no row of others.
func TestListsOfJobsReadWhatTheyShow(t *testing.T) {
	s := storetest.Open(t, storetest.Databases[0].New(t))
	for query, want := range map[string]string{
		selectJobs:     "SEARCH j USING INDEX jobs_listed (project_id=?",
		selectUserJobs: "SEARCH j USING INDEX jobs_listed (project_id=?",
	} {
		var plan []string
		if err := s.View(t.Context(), func(r *store.Reader) error {
			return r.Each(func(scan store.Scan) error {
				var id, parent, unused int
				var step string
				err := scan(&id, &parent, &unused, &step)
				plan = append(plan, step)
				return err
			}, "EXPLAIN QUERY PLAN "+query, "p", "", "", "", "", 21)
		}); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(plan, "\n")
		if !strings.Contains(text, want) || query == selectJobs && strings.Contains(text, "TEMP B-TREE") {
			t.Errorf("the plan is\n%s", text)
		}
	}
}
