package service

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/sidecar/console"
	"github.com/svc-games/svc/sidecar/sessions"
	"github.com/svc-games/svc/sidecar/site"
)

func TestWhoPlaysIsSignedInAsInTheConsoleAndKeepsNoSession(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	s, err := Open(t.Context(), Options{
		DataDir: t.TempDir(), Policy: policytest.Embedded(t), DecisionTimeout: time.Minute, Now: func() time.Time { return now },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := s.Keys().CreateUser(t.Context(), "test", "alice", 0); err != nil {
		t.Fatal(err)
	}
	secret, err := s.Sessions().Begin(t.Context(), "alice", sessions.ViaLink)
	if err != nil {
		t.Fatal(err)
	}
	named := ""
	of := s.signedIn(site.PlayOptions{Idle: 10 * time.Minute, Identity: func(*http.Request) string { return named }})
	want := func(want string) {
		t.Helper()
		r := httptest.NewRequest(http.MethodGet, "/play/x", nil)
		r.AddCookie(&http.Cookie{Name: console.SessionCookie, Value: secret})
		if who, err := of(r); err != nil || who != want {
			t.Errorf("signed in is %q, %v, want %q", who, err, want)
		}
	}
	now = now.Add(6 * time.Minute)
	want("alice")
	now = now.Add(6 * time.Minute)
	want("") // the console has ended it, and no page of a game keeps it
	named = "bob"
	want("bob")
}
