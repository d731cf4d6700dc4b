package jobs_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/jobs"
	"github.com/svc-games/svc/test/wait"
)

// judging is a generator that says of each game what a test wants.
type judging struct {
	script
	against chan []string
}

func (j judging) Prove(ctx context.Context, _ map[string][]byte) ([]string, error) {
	select {
	case against := <-j.against:
		if len(against) == 1 && against[0] == "panic" {
			panic("for the test")
		}
		return against, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (judging) Follow(_ context.Context, game map[string][]byte, check []byte) (string, error) {
	if string(check) == string(game["index.html"]) {
		return "", nil
	}
	return "it does not hold", nil
}

// checked waits for the end of a check.
func (e *engine) checked() contract.Check {
	e.t.Helper()
	var found contract.Workspace
	wait.Until(e.t, "the check ends", func() bool {
		var err error
		found, err = e.Workspace()
		return err == nil && found.Check != nil && !found.Check.Running
	})
	return *found.Check
}

func TestARevisionIsProvenWithoutAJob(t *testing.T) {
	g := judging{script(write), make(chan []string)}
	e := start(t, t.TempDir(), g)
	if _, err := e.Check(); !errors.Is(err, jobs.ErrNoFile) {
		t.Errorf("an empty project: %v", err)
	}
	saved, err := e.Edit(t.Context(), jobs.Edit{Path: "index.html", Data: []byte("by hand")})
	if err != nil || !e.Revisions().Revisions[0].Unproven {
		t.Fatalf("%+v, %v", saved, err)
	}
	for _, against := range [][]string{{"G02 it throws"}, nil} {
		if begun, err := e.Check(); err != nil || begun.Rev != saved.Head || !begun.Running {
			t.Fatalf("%+v, %v", begun, err)
		}
		if _, err := e.Check(); !errors.Is(err, jobs.ErrChecking) {
			t.Errorf("a second one: %v", err)
		}
		g.against <- against
		if found := e.checked(); found.OK != (against == nil) || !slices.Equal(found.Against, against) {
			t.Errorf("%+v", found)
		}
		if r := e.Revisions().Revisions[0]; r.Proven != (against == nil) || r.Unproven != (against != nil) {
			t.Errorf("%+v", r)
		}
	}
	e = e.restart(g)
	if r := e.Revisions().Revisions[0]; !r.Proven || r.Unproven {
		t.Errorf("after a restart: %+v", r)
	}
}

// TestACheckThatBreaksDownProvesNothingAndHoldsNothingUp: its engine lives on, and stops at once.
func TestACheckThatBreaksDownProvesNothingAndHoldsNothingUp(t *testing.T) {
	g := judging{script(write), make(chan []string)}
	e := start(t, t.TempDir(), g)
	if _, err := e.Edit(t.Context(), jobs.Edit{Path: "index.html", Data: []byte("by hand")}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Check(); err != nil {
		t.Fatal(err)
	}
	g.against <- []string{"panic"}
	if found := e.checked(); found.OK || len(found.Against) != 1 || !strings.Contains(found.Against[0], "nothing is known of it") {
		t.Errorf("%+v", found)
	}
	if _, err := e.Check(); err != nil {
		t.Fatal(err)
	}
	e = e.restart(g) // while it is checked
	if r := e.Revisions().Revisions[0]; !r.Unproven {
		t.Errorf("%+v", r)
	}
	if _, err := e.Check(); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestAPlayIsFollowedAndNotKept(t *testing.T) {
	e := start(t, t.TempDir(), judging{script(write), make(chan []string)})
	saved, err := e.Edit(t.Context(), jobs.Edit{Path: "index.html", Data: []byte("by hand")})
	if err != nil {
		t.Fatal(err)
	}
	for check, want := range map[string]string{"by hand": "", "{}": "it does not hold"} {
		if played, err := e.Play(t.Context(), []byte(check)); err != nil || played.Against != want {
			t.Errorf("%s: %+v, %v", check, played, err)
		}
	}
	if space, err := e.Workspace(); err != nil || len(space.Files) != 1 || space.Head != saved.Head {
		t.Errorf("%+v, %v", space, err)
	}
}

func TestAnEngineThatPlaysNoGamesSaysSo(t *testing.T) {
	e := start(t, t.TempDir(), script(write))
	if _, err := e.Check(); !errors.Is(err, jobs.ErrNoJudge) {
		t.Error(err)
	}
	if _, err := e.Play(t.Context(), nil); !errors.Is(err, jobs.ErrNoJudge) {
		t.Error(err)
	}
}
