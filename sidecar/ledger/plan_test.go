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
