package ledger_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/sidecar/store/storetest"
)

func TestReservationWhoseCommitHasNoAnswerIsMadeOnce(t *testing.T) {
	var l postgrestest.Losing
	f := newFixture(t, storetest.Database{Name: "PostgreSQL", New: func(t testing.TB) func() (*store.Store, error) {
		address := l.Between(t, postgrestest.URL(t))
		return func() (*store.Store, error) { return store.OpenPostgres(context.Background(), address) }
	}})
	r := sidecar.Reservation{JobID: mint.NewJobID(time.Now()), KeyID: f.newKey(policy.Limits{JobsPerDay: new(int64(1))}), ProjectID: f.project}
	l.Commits.Store(1)
	a, err := f.ledger.Reserve(t.Context(), r)
	if err != nil || a.SessionID == "" || a.Usage.JobsToday != 1 || a.Usage.RunningJobs != 1 || *a.Limits.JobsPerDay != 1 {
		t.Errorf("admission %+v, %v", a, err)
	}
	if l.Commits.Load() >= 1 {
		t.Error("no answer was lost")
	}
	f.must(f.ledger.Commit(t.Context(), r.JobID))
	// Of an operation that can't be looked for the error says what is open.
	l.Commits.Store(1)
	before, err := f.keys.User(t.Context(), "alice")
	f.must(err)
	credit := keys.Credit{TIK: 1, Reference: "invoice-1"}
	if _, err := f.keys.TopUp(t.Context(), "uid:7", "alice", credit); !errors.Is(err, store.ErrInDoubt) {
		t.Errorf("a top-up: %v, want ErrInDoubt", err)
	}
	after, err := f.keys.TopUp(t.Context(), "uid:7", "alice", credit)
	if err != nil || !after.Repeated || after.Balance != before.Balance+1 {
		t.Errorf("the same top-up again: %+v, %v, want it credited once", after, err)
	}
}
