package fleet

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/state"
	fakedriver "github.com/svc-games/svc/test/fake/driver"
)

const torn = `{"schema":1,"projectId":`

// damage spoils the journal of a project, whose proxy is closed meanwhile, and
// returns its path and what it held.
func (s *sim) damage(project string) (path string, good []byte) {
	s.t.Helper()
	s.close()
	path = filepath.Join(state.Layout{Root: s.dir}.State(project), state.JournalFile)
	good, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte(torn), 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.open()
	return path, good
}

func TestDamagedJournalIsNotReplacedByOneThatDoesNotKnowTheGeneration(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		project := s.ready("ann")
		path, good := s.damage(project)
		s.pass(time.Minute)
		s.want(project, engineproxy.StateReady) // it serves who has it
		if err := s.Stop(t.Context(), project, true); err != nil {
			t.Fatal(err)
		}
		if now, err := os.ReadFile(path); err != nil || string(now) != torn {
			t.Fatalf("the journal became %q, %v", now, err)
		}
		var failed *engineproxy.FailedError
		_, err := s.Submit(t.Context(), engineproxy.Project{ID: project, OwnerID: "ann"}, time.Minute)
		if !errors.As(err, &failed) || !strings.Contains(failed.Reason, "journal") {
			t.Fatalf("started with a damaged journal: %v", err)
		}
		if other := s.ready("bob"); s.state(other) != engineproxy.StateReady {
			t.Error("another project's engine does not start")
		}
		if err := os.WriteFile(path, good, 0o600); err != nil { // repaired
			t.Fatal(err)
		}
		if err := s.Reset(t.Context(), project); err != nil {
			t.Fatal(err)
		}
		s.submit(project, "ann")
		if e, err := state.ReadEntry(filepath.Dir(path)); err != nil || e.Generation != 2 {
			t.Errorf("the next start is %+v, %v", e, err)
		}
	})
}

func TestDamagedJournalIsWrittenAnewFromTheRunningEngine(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		project := mint.NewProjectID()
		for range 3 {
			s.submit(project, "ann")
			if err := s.Stop(t.Context(), project, true); err != nil {
				t.Fatal(err)
			}
		}
		s.submit(project, "ann")
		s.driver.Set(func(f *fakedriver.Faults) { f.Generations = true })
		path, _ := s.damage(project)
		s.pass(time.Minute)
		s.want(project, engineproxy.StateReady)
		if kept, err := os.ReadFile(filepath.Join(filepath.Dir(path), state.DamagedFile)); err != nil || string(kept) != torn {
			t.Errorf("%q is kept of the damaged journal, %v", kept, err)
		}
		if err := s.Stop(t.Context(), project, true); err != nil {
			t.Fatal(err)
		}
		s.submit(project, "ann")
		if e, err := state.ReadEntry(filepath.Dir(path)); err != nil || e.Generation != 5 {
			t.Errorf("the next start is %+v, %v", e, err)
		}
	})
}

func TestEngineThatIsAbsentCostsNoTurnOfTheReaper(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		project := s.ready("ann")
		if err := s.Stop(t.Context(), project, true); err != nil {
			t.Fatal(err)
		}
		a := s.find(project)
		a.turn.Lock() // whoever wants a turn waits here
		err := s.reapOnce(t.Context())
		a.turn.Unlock()
		if err != nil {
			t.Fatal(err)
		}
		job := s.accept(s.ready("bob"))
		s.ledger.with(func() {
			moved := s.ledger.open[job]
			moved.ProjectID, moved.Record.ProjectID = project, project
			s.ledger.open[job] = moved
		})
		if err := s.reapOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.pass(time.Second)
		if s.state(project) == engineproxy.StateAbsent {
			t.Error("its engine was not started for a job")
		}
	})
}
