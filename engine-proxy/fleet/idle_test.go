package fleet

import (
	"testing"
	"time"

	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/test/long"
)

func TestIdleDayStopsWhatIsIdleOnceAndKeepsWhatWorks(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		idle, working, watched := s.ready("a"), s.ready("b"), s.ready("c")
		job := s.accept(working)
		lease, err := s.Attach(t.Context(), watched)
		if err != nil {
			t.Fatal(err)
		}
		s.pass(9 * time.Minute)
		s.want(idle, engineproxy.StateReady)
		if at := s.info(idle).WouldStopAt; at == nil || time.Until(*at) > time.Minute+15*time.Second || time.Until(*at) < 0 {
			t.Errorf("it would stop at %v, want in a minute", at)
		}
		s.pass(2 * time.Minute)
		s.want(idle, engineproxy.StateAbsent)
		hours := 3 // many idle times over
		if long.Asked() {
			hours = 24
		}
		for range hours * 4 / 3 {
			s.pass(45 * time.Minute) // no job may take longer
			ended := job
			job = s.accept(working)
			if err := s.end(working, ended); err != nil {
				t.Fatal(err)
			}
		}
		for _, project := range []string{working, watched} {
			s.want(project, engineproxy.StateReady)
			if i := s.info(project); i.AliveBecause == "" || i.WouldStopAt != nil {
				t.Errorf("it is not said why it is kept: %+v", i)
			}
		}
		for project, starts := range s.driver.Starts() {
			if starts != 1 {
				t.Errorf("the engine of %s was started %d times", project, starts)
			}
		}
		lease.Release()
		if err := s.end(working, job); err != nil {
			t.Fatal(err)
		}
		s.pass(11 * time.Minute)
		s.want(working, engineproxy.StateAbsent)
		s.want(watched, engineproxy.StateAbsent)
		if running := s.driver.Running(); len(running) > 0 {
			t.Errorf("%v run on", running)
		}
	})
}

// TestAnEngineThatWasJustUsedIsNotSaidToBeIdle: what it was given to do is known
// only once it was asked.
func TestAnEngineThatWasJustUsedIsNotSaidToBeIdle(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		project := s.ready("a")
		says := func(why string, stops bool) {
			t.Helper()
			if i := s.info(project); i.AliveBecause != why || (i.WouldStopAt != nil) != stops {
				t.Errorf("it is kept because %q and would stop at %v, want %q", i.AliveBecause, i.WouldStopAt, why)
			}
		}
		says("used a moment ago", false)
		s.pass(15 * time.Second)
		says("idle", true)
		job := s.accept(project)
		says("used a moment ago", false)
		s.pass(15 * time.Second)
		says("1 running jobs", false)
		if err := s.end(project, job); err != nil {
			t.Fatal(err)
		}
		s.pass(15 * time.Second)
		says("idle", true)
	})
}

func TestPollsAndUnknownJobsKeepNoEngine(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		project := s.ready("a")
		for range 11 {
			s.pass(time.Minute)
			_, _ = s.List(t.Context())
			_, _ = s.Show(t.Context(), project)
			_, _ = s.Events(t.Context(), mint.NewJobID(time.Now()))
		}
		s.want(project, engineproxy.StateAbsent)
	})
}

func TestWaitsAreSpreadByAFifth(t *testing.T) {
	t.Parallel()
	seen := map[time.Duration]bool{}
	for range 100 {
		d := spread(10 * time.Second)
		if d < 8*time.Second || d > 12*time.Second {
			t.Fatalf("10 s became %s", d)
		}
		seen[d] = true
	}
	if len(seen) < 2 {
		t.Fatal("what failed together starts together")
	}
}
