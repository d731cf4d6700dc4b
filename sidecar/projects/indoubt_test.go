package projects_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
)

func TestProjectWhoseCommitHasNoAnswerIsLookedFor(t *testing.T) {
	var l postgrestest.Losing
	s, err := store.OpenPostgres(t.Context(), l.Between(t, postgrestest.URL(t)))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := catalog(t, s)
	l.Commits.Store(1)
	made := create(t, c, "alice", "pong")
	if l.Commits.Load() >= 1 {
		t.Error("no answer was lost")
	}
	// Where that can't be learned either, the error says so.
	l.ThenAll.Store(true)
	l.Commits.Store(1)
	if _, err := c.CreateProject(t.Context(), "alice", api.ProjectRequest{Name: "snake", Template: "blank"}); !errors.Is(err, sidecar.ErrInDoubt) {
		t.Errorf("got %v, want ErrInDoubt", err)
	}
	l.ThenAll.Store(false)
	list, err := c.Projects(t.Context(), "alice", "", 0)
	if err != nil || len(list.Data) != 2 || !slices.Contains(list.Data, made) {
		t.Errorf("the projects are %+v, %v; each was made once", list.Data, err)
	}
}
