package keys_test

import (
	"errors"
	"net/http"
	"reflect"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/store"
)

func TestNoSubmissionOfASuspendedUserIsAdmitted(t *testing.T) {
	onEach(t, func(t *testing.T, g *keys.Registry, s *store.Store) {
		key, clock := create(t, g, "ci"), func() time.Time { return noon }
		project, err := projects.New(projects.Options{Store: s, Now: clock, MaxPerUser: 5, Changed: func() {}}).
			CreateProject(t.Context(), "alice", api.ProjectRequest{Name: "game"})
		if err != nil {
			t.Fatal(err)
		}
		l, err := ledger.New(ledger.Options{Store: s, Now: clock, MaxQueued: 9, Logger: zap.NewNop()})
		if err != nil {
			t.Fatal(err)
		}
		reserve := func() error {
			_, err := l.Reserve(t.Context(), sidecar.Reservation{JobID: mint.NewJobID(noon), KeyID: key.ID, ProjectID: project.ID})
			return err
		}
		for range 2 {
			if _, err := g.Suspend(t.Context(), "uid:7", "alice"); err != nil {
				t.Fatal(err)
			}
			var refusal *answers.Error
			if err := reserve(); !errors.As(err, &refusal) || refusal.Status != http.StatusForbidden {
				t.Errorf("suspended: %v, want 403", err)
			}
			if _, err := g.Resume(t.Context(), "uid:7", "alice"); err != nil {
				t.Fatal(err)
			}
			if err := reserve(); err != nil {
				t.Errorf("resumed: %v", err)
			}
		}
	})
}

func TestEachChangeOfAUsersStateIsAuditedAndVoidsDecisions(t *testing.T) {
	onEach(t, func(t *testing.T, g *keys.Registry, s *store.Store) {
		hints, stop := g.Watch()
		defer stop()
		basis := func() string {
			changes, err := g.Changes(t.Context(), -1)
			if err != nil {
				t.Fatal(err)
			}
			return changes.Basis
		}
		for _, step := range []struct {
			state  string
			change func() (keys.User, error)
		}{
			{policy.UserSuspended, func() (keys.User, error) { return g.Suspend(t.Context(), "uid:7", "alice") }},
			{policy.UserActive, func() (keys.User, error) { return g.Resume(t.Context(), "uid:7", "alice") }},
		} {
			before := basis()
			user, err := step.change()
			if err != nil || user.State != step.state {
				t.Fatalf("got %+v, %v, want the state %s", user, err, step.state)
			}
			<-hints
			if stored, err := g.User(t.Context(), "alice"); err != nil || !reflect.DeepEqual(stored, user) {
				t.Errorf("stored %+v, %v, want %+v", stored, err, user)
			}
			if basis() == before {
				t.Errorf("%s: what is cached stays", step.state)
			}
			auditBefore, _ := logs(t, s)
			if _, err := step.change(); !errors.Is(err, keys.ErrState) {
				t.Errorf("%s again: %v, want a refusal", step.state, err)
			}
			if audit, _ := logs(t, s); audit != auditBefore {
				t.Error("a refused change is in the audit log")
			}
		}
		log, err := g.Audit(t.Context(), "", "alice", 0)
		if err != nil || len(log.Entries) < 2 || log.Entries[0].Action != "user.resume" || log.Entries[1].Action != "user.suspend" {
			t.Errorf("the audit log has %+v, %v", log.Entries, err)
		}
		if _, err := g.Suspend(t.Context(), "uid:7", "nobody"); !errors.Is(err, keys.ErrUnknownUser) {
			t.Errorf("an unknown user: %v", err)
		}
	})
}
