package ledger_test

import (
	"testing"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/store/storetest"
)

// mostPerPair is how many allocations a pair of reserve and commit takes at most, those of
// the store's writer included, when nobody else writes.
const mostPerPair = 700

// pairs returns what reserves a job, commits it and has it end, on SQLite.
func pairs(t *testing.T) (pair func()) {
	f := newFixture(t, storetest.Databases[0])
	key := f.newKey(policy.Limits{})
	projects, n := []string{f.project}, 0
	for range 40 {
		projects = append(projects, f.newProject())
	}
	return func() {
		order := sidecar.Reservation{JobID: mint.NewJobID(f.clock.Now()), KeyID: key, ProjectID: projects[n/(ledger.DefaultMaxQueued-1)%len(projects)]}
		n++
		if _, err := f.ledger.Reserve(t.Context(), order); err != nil {
			t.Fatal(err)
		}
		if err := f.ledger.Commit(t.Context(), order.JobID); err != nil {
			t.Fatal(err)
		}
	}
}

func TestReserveAndCommitTakeFewAllocations(t *testing.T) {
	if n := testing.AllocsPerRun(100, pairs(t)); n > mostPerPair {
		t.Errorf("a pair takes %v allocations, want at most %d", n, mostPerPair)
	}
}
