package ledger_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/sidecar/store/storetest"
)

func TestBooksAreTheSameInACopyAndGoOnThere(t *testing.T) {
	dir := t.TempDir()
	path, url := filepath.Join(dir, "svc.db"), postgrestest.URL(t)
	f := newFixture(t, storetest.Database{Name: "SQLite", New: func(testing.TB) func() (*store.Store, error) {
		return func() (*store.Store, error) { return store.OpenSQLite(t.Context(), path) }
	}})
	key := f.newKey(policy.Limits{})
	done, open := f.accept(key), f.reserve(key)
	f.feed(f.started(done, "step"), f.used(done, "step", 1, ""), f.ended(done, api.JobCompleted))
	for range 450 { // more rows than one statement writes
		f.must(f.ledger.Release(t.Context(), f.reserve(key)))
	}
	for range store.MaxKeys - 1 {
		f.newKey(policy.Limits{})
	}
	f.must(second(f.keys.CreateStudio(t.Context(), "alice"))) // one more than a user may have
	balance := f.balance()

	copied, err := store.Copy(t.Context(), path, url)
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(copied, func(c store.Table) bool { return c.Name == "jobs" }); i < 0 || copied[i].Rows != 452 {
		t.Errorf("what was copied: %+v", copied)
	}
	if _, err := store.Copy(t.Context(), path, url); !errors.Is(err, store.ErrNotEmpty) {
		t.Errorf("copying once more: %v", err)
	}
	back := filepath.Join(dir, "back.db")
	if again, err := store.Copy(t.Context(), url, back); err != nil || !slices.Equal(again, copied) {
		t.Errorf("the copy of the copy: %+v, %v", again, err)
	}
	snapshot := filepath.Join(dir, "snapshot.db")
	if err := store.Snapshot(t.Context(), path, snapshot); err != nil {
		t.Error(err)
	}
	if err := store.Snapshot(t.Context(), path, snapshot); err == nil {
		t.Error("a snapshot was written over another file")
	}
	for name, reopen := range map[string]func() (*store.Store, error){
		"PostgreSQL": func() (*store.Store, error) { return store.OpenPostgres(t.Context(), url) },
		"SQLite":     func() (*store.Store, error) { return store.OpenSQLite(t.Context(), back) },
		"snapshot":   func() (*store.Store, error) { return store.OpenSQLite(t.Context(), snapshot) },
	} {
		f.close()
		f.reopen = reopen
		f.open()
		if got := f.balance(); got != balance {
			t.Errorf("%s: the balance is %d, was %d", name, got, balance)
		}
		f.wantUsage(key, 2, 2, 1)
		wantInvariants(t, f.store)
		f.must(f.ledger.Commit(t.Context(), open)) // it goes on
	}
}
