package ledger

import (
	"strings"
	"testing"

	"github.com/svc-games/svc/sidecar/store/storetest"
)

func TestForgettingJobsReadsThoseAlone(t *testing.T) {
	s := storetest.Open(t, storetest.Databases[0].New(t))
	plan := storetest.Plan(t, s, selectResolved, 1, expireBatch)
	if !strings.Contains(plan, "INDEX jobs_resolved (resolved_at<?)") {
		t.Errorf("the plan is %s", plan)
	}
}

// TestListsOfJobsReadWhatTheyShow: a project's page reads its rows alone, in order, and
// a user's no row of others; both begin where the page does.
func TestListsOfJobsReadWhatTheyShow(t *testing.T) {
	s := storetest.Open(t, storetest.Databases[0].New(t))
	for _, query := range []string{selectJobs, selectUserJobs} {
		plan := storetest.Plan(t, s, query, "p", "", "", afterAll, 21)
		if !strings.Contains(plan, "SEARCH j USING INDEX jobs_listed (project_id=? AND id<?)") ||
			query == selectJobs && strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("the plan is\n%s", plan)
		}
	}
}

// TestOpenJobsOfAProjectAreReadAlone: each end of a job asks for them, however many wait
// in other projects.
func TestOpenJobsOfAProjectAreReadAlone(t *testing.T) {
	s := storetest.Open(t, storetest.Databases[0].New(t))
	if plan := storetest.Plan(t, s, selectOpenOfProject, "p"); !strings.Contains(plan, "SEARCH j USING INDEX jobs_by_project (project_id=? AND resolved_at=?)") {
		t.Errorf("of a project, the plan is\n%s", plan)
	}
	if plan := storetest.Plan(t, s, selectAllOpen); !strings.Contains(plan, "SCAN j USING INDEX jobs_unfinished") || strings.Contains(plan, "TEMP B-TREE") {
		t.Errorf("of all, the plan is\n%s", plan)
	}
}
