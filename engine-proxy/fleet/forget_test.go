package fleet

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/long"
)

// leftovers returns what is on disk of a project.
func (s *sim) leftovers(project string) (found []string) {
	s.t.Helper()
	for _, dir := range []string{s.volume(project), s.layout.Runtime(project), s.layout.State(project)} {
		switch _, err := os.Stat(dir); {
		case err == nil:
			found = append(found, dir)
		case !os.IsNotExist(err):
			s.t.Fatal(err)
		}
	}
	return found
}

// wantGone checks that nothing is left of a project, and that the ledger knows.
func (s *sim) wantGone(project string) {
	s.t.Helper()
	if found := s.leftovers(project); len(found) > 0 {
		s.t.Errorf("left of a deleted project: %q", found)
	}
	if marks := s.ledger.marks(); slices.Contains(marks, project) {
		s.t.Error("the ledger has not heard that nothing is left")
	}
	s.want(project, engineproxy.StateAbsent)
}

// wantWhole checks that a project has its engine and all that is on disk of it.
func (s *sim) wantWhole(project string) {
	s.t.Helper()
	if found := s.leftovers(project); len(found) != 3 {
		s.t.Fatalf("left of the project: %q", found)
	}
	s.want(project, engineproxy.StateReady)
}

// The gateway may be killed after the ledger has deleted the project and before
// it has told the engine proxy so.
func TestProjectDeletedWithoutNoticeGoesWithinTwoMinutes(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		project, other := s.ready("ann"), s.ready("bob")
		s.accept(other)
		s.ledger.delete(project)
		s.pass(2 * time.Minute)
		s.wantGone(project)
		s.wantWhole(other)
		if running := s.driver.Running(); len(running) != 1 {
			t.Errorf("%v run, want the other project's alone", running)
		}
	})
}

// In the embedded form the engine proxy dies with the gateway.
func TestProjectDeletedWithoutNoticeGoesAtTheStart(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		running, stopped := s.ready("ann"), s.ready("bob")
		if err := s.Stop(t.Context(), stopped, true); err != nil {
			t.Fatal(err)
		}
		s.close()
		s.ledger.delete(running, stopped)
		s.open()
		s.pass(5 * time.Second)
		s.wantGone(running)
		s.wantGone(stopped)
		if running := s.driver.Running(); len(running) != 0 {
			t.Errorf("%v run", running)
		}
	})
}

func TestDeletionThatWasInterruptedIsCompletedLater(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		project, other := mint.NewProjectID(), s.ready("bob")
		s.switches(project, fakeengine.Switches{IgnoreTerm: true})
		s.submit(project, "ann")
		s.accept(other)
		s.ledger.delete(project)
		// The client leaves while the engine is stopped.
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := s.Forget(ctx, project); err == nil {
			t.Fatal("it was deleted although it was interrupted: the test proves nothing")
		}
		s.restart()
		s.pass(2 * time.Minute)
		s.wantGone(project)
		s.wantWhole(other)
		if running := s.driver.Running(); len(running) != 1 {
			t.Errorf("%v run, want the other project's alone", running)
		}
	})
}

// A store that was restored does not know younger projects, nor that others were
// deleted since.
func TestVolumeThatTheLedgerHasNoMarkOfStays(t *testing.T) {
	t.Parallel()
	simulate(t, func(o *Options) { o.IdleTTL = 24 * time.Hour }, func(t *testing.T, s *sim) {
		project := s.ready("ann")
		s.pass(3 * time.Hour)
		s.restart()
		s.pass(3 * time.Hour)
		s.wantWhole(project)
	})
}

func TestNothingIsForgottenUnlessTheLedgerAnswersTheOneWhoHasTheEngines(t *testing.T) {
	t.Parallel()
	simulate(t, func(o *Options) { o.IdleTTL = 24 * time.Hour }, func(t *testing.T, s *sim) {
		project := s.ready("ann")
		ours := s.ledger.owner
		for what, change := range map[string]func(){
			"it is down":               func() { s.ledger.down = true },
			"it answers another alone": func() { s.ledger.owner = contract.Installation{ID: "other"} },
		} {
			s.ledger.with(change)
			s.ledger.with(func() { s.ledger.deleted = []string{project} })
			s.pass(3 * time.Hour)
			if err := s.forgetDeleted(t.Context()); err == nil {
				t.Errorf("%s: the engine proxy took it for an answer", what)
			}
			s.wantWhole(project)
			s.ledger.with(func() { s.ledger.down, s.ledger.owner, s.ledger.deleted = false, ours, nil })
		}
	})
}

func TestWhatTheLedgerMissedIsSentAgain(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		project := s.ready("ann")
		s.ledger.with(func() { s.ledger.deaf = true })
		s.ledger.delete(project)
		s.pass(2 * time.Minute)
		if found := s.leftovers(project); len(found) > 0 || len(s.ledger.marks()) != 1 {
			t.Fatalf("left: %q; marks: %q", found, s.ledger.marks())
		}
		s.restart()
		s.ledger.with(func() { s.ledger.deaf = false })
		s.pass(2 * time.Minute)
		s.wantGone(project)
	})
}

func TestOneProjectThatCanNotBeForgottenKeepsNoOther(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		project := s.ready("ann")
		s.ledger.delete("..", project)
		s.pass(2 * time.Minute)
		s.wantGone(project)
		if marks := s.ledger.marks(); !slices.Equal(marks, []string{".."}) {
			t.Errorf("marks: %q", marks)
		}
		if _, err := os.Stat(s.dir); err != nil {
			t.Error(err)
		}
	})
}

// The gateway's call and the engine proxy's own look may meet.
func TestForgettingTwiceAtOnceIsForgettingOnce(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		attempts := 6 // at meeting the moment
		if long.Asked() {
			attempts = 40
		}
		for range attempts {
			project := s.ready("ann")
			for i := range 200 {
				dir := filepath.Join(s.volume(project), "game", strconv.Itoa(i%10), strconv.Itoa(i))
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			s.ledger.delete(project)
			results := make(chan error)
			go func() { results <- s.Forget(t.Context(), project) }()
			go func() { results <- s.Forget(t.Context(), project) }()
			go func() { results <- s.forgetDeleted(t.Context()) }()
			for range 3 {
				if err := <-results; err != nil {
					t.Error(err)
				}
			}
			s.wantGone(project)
		}
	})
}

func TestProjectThatNeverHadAnEngineIsForgottenWithoutATrace(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		project := mint.NewProjectID()
		s.ledger.delete(project)
		s.pass(2 * time.Minute)
		s.wantGone(project)
	})
}
