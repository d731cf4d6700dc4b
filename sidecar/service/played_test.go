package service_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/service"
)

// TestGameThatCantBeForgottenKeepsNoOther has the database refuse one.
func TestGameThatCantBeForgottenKeepsNoOther(t *testing.T) {
	dir := t.TempDir()
	at := &clock{now: time.Now()}
	s := open(t, service.Options{DataDir: dir, Now: at.Now})
	newKey(t, s, "alice", policy.Limits{})
	who := contract.Installation{ID: "here", Place: "a:/srv/svc"}
	if _, err := s.Claim(t.Context(), who); err != nil {
		t.Fatal(err)
	}
	refused, other := newProject(t, s, "alice").ID, newProject(t, s, "alice").ID
	ask := true
	for _, game := range []string{refused, other} {
		if _, err := s.SetPlaySettings(t.Context(), game, api.PlayChange{AskConsent: &ask}); err != nil {
			t.Fatal(err)
		}
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, analytics.File))
	if err == nil {
		_, err = db.Exec("CREATE TRIGGER refuse BEFORE DELETE ON play_options WHEN old.game = '" + refused + "' BEGIN SELECT RAISE(ABORT, 'refused'); END")
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, game := range []string{refused, other} {
		if err := s.DeleteProject(t.Context(), game); err != nil {
			t.Fatal(err)
		}
	}
	at.Add(time.Minute)
	if err := s.ProjectsForgotten(t.Context(), who.ID, []string{refused, other}); err == nil {
		t.Error("nobody says that a game can't be forgotten")
	}
	if left, err := s.DeletedProjects(t.Context(), who.ID); err != nil || !slices.Equal(left, []string{refused}) {
		t.Errorf("to be forgotten are %q, %v, want %q", left, err, refused)
	}
}
