package egress_test

import (
	"os"
	"path/filepath"
	"testing"
)

func TestNewEngineTakesTheSocketAndTheOldTokenIsDead(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	if err := r.Serve(project, r.socket, "the next token"); err != nil {
		t.Fatal(err)
	}
	if p := r.do(r.request(t.Context(), "GET", "/v1/models", token, "")); p.status != 401 {
		t.Errorf("the old token: %d", p.status)
	}
	if p := r.do(r.request(t.Context(), "GET", "/v1/models", "the next token", "")); p.status != 200 {
		t.Errorf("the new token: %d", p.status)
	}
	if err := r.Serve(project, r.socket, ""); err == nil {
		t.Error("an engine without token was served")
	}
}

func TestLinkInTheSocketsPlaceIsNotFollowed(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	victim := filepath.Join(r.dir, "victim")
	if err := os.WriteFile(victim, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(r.socket); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, r.socket); err != nil {
		t.Fatal(err)
	}
	if err := r.Serve(project, r.socket, token); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(victim)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the link's target was changed: %v %v", info, err)
	}
	if p := r.chat(""); p.status != 200 {
		t.Errorf("got %d %s", p.status, p.body)
	}
}
