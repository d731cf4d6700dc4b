package ledger_test

import (
	"strings"
	"testing"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/store"
)

// TestDamagedRecordIsNamedAndSparesThePageBeforeIt: the page is read with one row more,
// which only says that there is a next one.
func TestDamagedRecordIsNamedAndSparesThePageBeforeIt(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{})
		first := f.accept(key)
		err := f.store.Update(t.Context(), func(tx *store.Tx) error {
			if _, err := tx.Exec("UPDATE jobs SET record = 'torn' WHERE id = ?", first); err != nil {
				return err
			}
			_, err := tx.Exec(`INSERT INTO jobs (id, key_id, project_id, state, status, record, day, month, created_at, deadline_at)
				WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
				SELECT j.id || '-' || n.i, j.key_id, j.project_id, j.state, j.status, '{"jobId":"later"}', j.day, j.month, j.created_at, j.deadline_at
				FROM jobs j, n WHERE j.id = ?`, first)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		page, err := f.ledger.ProjectJobs(t.Context(), f.project, "")
		if err != nil || len(page.Jobs) != 50 || page.Next != "later" {
			t.Errorf("%d jobs, next %q, %v", len(page.Jobs), page.Next, err)
		}
		for name, read := range map[string]func() error{
			"job":  func() error { return second(f.ledger.Job(t.Context(), first)) },
			"jobs": func() error { return second(f.ledger.ProjectJobs(t.Context(), f.project, first+"-1")) },
			"open": func() error { return second(f.ledger.OpenJobs(t.Context(), f.project)) },
		} {
			if err := read(); err == nil || strings.Count(err.Error(), first) == 0 {
				t.Errorf("%s: %v, want the job's name", name, err)
			}
		}
	})
}
