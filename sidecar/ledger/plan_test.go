package ledger

import (
	"strings"
	"testing"

	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/storetest"
)

func TestForgettingJobsReadsThoseAlone(t *testing.T) {
	s := storetest.Open(t, storetest.Databases[0].New(t))
	plan := planOf(t, s, selectResolved, 1, expireBatch)
	if !strings.Contains(plan, "INDEX jobs_resolved (resolved_at<?)") {
		t.Errorf("the plan is %s", plan)
	}
}

// TestListsOfJobsReadWhatTheyShow: a project's page reads its rows alone, in order, from
// where it begins, and a user's no more of each project, and no row of others.
func TestListsOfJobsReadWhatTheyShow(t *testing.T) {
	s := storetest.Open(t, storetest.Databases[0].New(t))
	for _, tc := range []struct {
		q    sidecar.JobQuery
		want []string
	}{
		{sidecar.JobQuery{ProjectID: "p", Limit: 20}, []string{"SEARCH j USING INDEX jobs_listed (project_id=? AND id<?)"}},
		{sidecar.JobQuery{UserID: "u", Limit: 20}, []string{
			"SEARCH o USING INDEX jobs_listed (project_id=? AND id<?)", "SEARCH j USING INDEX jobs_listed (project_id=? AND id>? AND id<?)",
		}},
	} {
		query, args := listing(tc.q)
		plan := planOf(t, s, query, args...)
		for _, want := range tc.want {
			if !strings.Contains(plan, want) {
				t.Errorf("want %s, the plan is\n%s", want, plan)
			}
		}
		if tc.q.ProjectID != "" && strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("the plan is\n%s", plan)
		}
	}
}

// planOf returns how SQLite runs a query.
func planOf(t *testing.T, s *store.Store, query string, args ...any) string {
	t.Helper()
	var plan []string
	if err := s.View(t.Context(), func(r *store.Reader) error {
		return r.Each(func(scan store.Scan) error {
			var id, parent, unused int
			var step string
			err := scan(&id, &parent, &unused, &step)
			plan = append(plan, step)
			return err
		}, "EXPLAIN QUERY PLAN "+query, args...)
	}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(plan, "\n")
}
