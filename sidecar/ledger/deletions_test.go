package ledger_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/store"
)

var (
	here  = contract.Installation{ID: "here", Place: "a:/srv/svc"}
	there = contract.Installation{ID: "there", Place: "b:/srv/svc"}
)

// claim gives the engines to an installation, which nobody may have.
func (f *fixture) claim(who contract.Installation) {
	f.t.Helper()
	_, err := f.ledger.Claim(f.t.Context(), who)
	f.must(err)
}

// wantDeleted checks which deleted projects are still to be forgotten.
func (f *fixture) wantDeleted(want ...string) {
	f.t.Helper()
	if got, err := f.ledger.DeletedProjects(f.t.Context(), here.ID); err != nil || !slices.Equal(got, want) {
		f.t.Errorf("to be forgotten: %q, %v, want %q", got, err, want)
	}
}

func TestDeletionIsMarkedUntilTheEngineProxyHasForgottenTheProject(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		f.claim(here)
		first, second := f.project, f.newProject()
		f.wantDeleted()
		for _, id := range []string{second, first} {
			f.must(f.catalog.DeleteProject(t.Context(), id))
			f.clock.Add(time.Second)
		}
		f.wantDeleted(second, first)
		f.restart()
		f.wantDeleted(second, first)
		f.clock.Add(28 * time.Second)
		f.must(f.ledger.ProjectsForgotten(t.Context(), here.ID, []string{second, first}))
		f.wantDeleted(first) // 29 s ago: what was under way then may have left something
		for range 2 {        // an answer may be lost
			f.must(f.ledger.ProjectsForgotten(t.Context(), here.ID, []string{second}))
			f.wantDeleted(first)
		}
		f.clock.Add(time.Second)
		f.must(f.ledger.ProjectsForgotten(t.Context(), here.ID, []string{first, f.newProject()}))
		f.wantDeleted()
	})
}

func TestOnlyWhatWasDeletedIsMarked(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		f.claim(here)
		f.reserve(f.newKey(policy.Limits{}))
		if err := f.catalog.DeleteProject(t.Context(), f.project); !errors.Is(err, sidecar.ErrProjectBusy) {
			t.Errorf("got %v, want ErrProjectBusy", err)
		}
		if err := f.catalog.DeleteProject(t.Context(), mint.NewProjectID()); !errors.Is(err, sidecar.ErrUnknownProject) {
			t.Errorf("got %v, want ErrUnknownProject", err)
		}
		f.wantDeleted()
	})
}

// Another installation may have volumes of the same projects: a copy of a store
// or of a data directory.
func TestMarksAreForTheInstallationThatHasTheEngines(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		f.must(f.catalog.DeleteProject(t.Context(), f.project))
		refused := func(id string, want error) {
			t.Helper()
			if got, err := f.ledger.DeletedProjects(t.Context(), id); !errors.Is(err, want) || got != nil {
				t.Errorf("%q was told %q, %v", id, got, err)
			}
			if err := f.ledger.ProjectsForgotten(t.Context(), id, []string{f.project}); !errors.Is(err, want) {
				t.Errorf("%q was believed: %v", id, err)
			}
		}
		refused(here.ID, ledger.ErrNoEngines)
		f.claim(there)
		refused(here.ID, ledger.ErrNotOwner)
		refused("", ledger.ErrNotOwner)
		_, err := f.ledger.ReleaseEngines(t.Context(), "test")
		f.must(err)
		f.claim(here)
		refused(there.ID, ledger.ErrNotOwner)
		f.wantDeleted(f.project)
	})
}

// Whoever takes a deleted project's row from a backup wants its volume as well.
func TestProjectThatWasPutBackIsNotToBeForgotten(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		f.claim(here)
		f.must(f.catalog.DeleteProject(t.Context(), f.project))
		f.must(f.store.Update(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Exec(`INSERT INTO projects (id, owner_id, session_id, name, template, description, attributes, created_at)
				VALUES (?, 'alice', 's', 'game', 'blank', '', '{}', 1)`, f.project)
			return err
		}))
		f.wantDeleted()
		f.must(f.catalog.DeleteProject(t.Context(), f.project))
		f.wantDeleted(f.project)
	})
}

func TestMoreDeletionsThanOneTransactionTakesAreForgotten(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		f.claim(here)
		var ids []string
		f.must(f.store.Update(t.Context(), func(tx *store.Tx) error {
			ids = nil
			for range 450 {
				ids = append(ids, mint.NewProjectID())
				if _, err := tx.Exec("INSERT INTO deleted_projects (project_id, deleted_at) VALUES (?, 1)", ids[len(ids)-1]); err != nil {
					return err
				}
			}
			return nil
		}))
		slices.Sort(ids)
		f.wantDeleted(ids...)
		f.must(f.ledger.ProjectsForgotten(t.Context(), here.ID, ids))
		f.wantDeleted()
	})
}
