package fleet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/state"
	fakedriver "github.com/svc-games/svc/test/fake/driver"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
)

func TestBadInputFailsWithItsReasonAtOnceAndIsNotRetriedTooSoon(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err    error // of the driver
		code   string
		reason string
		fatal  bool
	}{
		"image missing": {
			&driver.ReasonError{Reason: "The engine's image is missing.", Err: fmt.Errorf("%w: no such image", driver.ErrFatalSpec)},
			failProgram, "The engine's image is missing.", true,
		},
		"command not executable": {
			fmt.Errorf("%w: exec /opt/secret/engine: permission denied", driver.ErrFatalSpec),
			failProgram, "The engine's program can't be run.", true,
		},
		"no permission on the driver's socket": {
			&driver.ReasonError{Reason: "The engine service may not use Docker.", Err: fmt.Errorf("%w: %w", driver.ErrUnavailable, fs.ErrPermission)},
			failSocket, "The engine service may not use Docker.", false,
		},
		"no room in the backend": {
			fmt.Errorf("%w: cgroup", driver.ErrCapacity), failNoRoom, "There is no room for the engine.", false,
		},
		"no room on the disk": {
			fmt.Errorf("making log: %w", unix.ENOSPC), failNoRoom, "There is no room for the engine.", false,
		},
		"backend down": {driver.ErrUnavailable, failDriver, "What runs the engines is not available right now.", false},
	} {
		t.Run(name, func(t *testing.T) {
			simulate(t, nil, func(t *testing.T, s *sim) {
				tries := 0
				s.driver.Set(func(f *fakedriver.Faults) { f.Refuse = func(driver.Spec) error { tries++; return c.err } })
				project := engineproxy.Project{ID: mint.NewProjectID(), OwnerID: "ann"}
				began := time.Now()
				var failed *engineproxy.FailedError
				if _, err := s.Submit(t.Context(), project, time.Minute); !errors.As(err, &failed) {
					t.Fatalf("got %v, want a FailedError", err)
				}
				if failed.Reason != c.reason || failed.Fatal != c.fatal || !failed.Next.After(time.Now()) {
					t.Errorf("got %+v", failed)
				}
				if waited := time.Since(began); waited > time.Second {
					t.Errorf("it was told after %s", waited)
				}
				s.pass(3 * time.Second)
				if i := s.info(project.ID); i.FailureCode != c.code || i.Fatal != c.fatal {
					t.Errorf("operators see %+v", i)
				}
				if _, err := s.Submit(t.Context(), project, time.Minute); !errors.As(err, &failed) || tries != 1 {
					t.Fatalf("tried %d times before the back-off was over: %v", tries, err)
				}
				s.driver.Set(func(f *fakedriver.Faults) { f.Refuse = nil })
				s.pass(10 * time.Second) // the back-off
				if c.fatal {
					if _, err := s.Submit(t.Context(), project, time.Minute); !errors.As(err, &failed) {
						t.Fatalf("a fatal failure was tried again: %v", err)
					}
					if err := s.Reset(t.Context(), project.ID); err != nil {
						t.Fatal(err)
					}
				}
				s.submit(project.ID, "ann")
			})
		})
	}
}

func TestEveryPartOfAStartHasItsDeadlineAndTheWholeHasOne(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		creating time.Duration
		want     time.Duration // until it has failed
	}{
		"it is never made":             {time.Hour, 90 * time.Second},
		"it is never ready":            {0, 60 * time.Second},
		"both take as long as one may": {85 * time.Second, 120 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			simulate(t, nil, func(t *testing.T, s *sim) {
				project := mint.NewProjectID()
				s.switches(project, fakeengine.Switches{NeverReady: true})
				s.driver.Set(func(f *fakedriver.Faults) { f.StartTakes = c.creating })
				began := time.Now()
				var failed *engineproxy.FailedError
				if _, err := s.Submit(t.Context(), engineproxy.Project{ID: project, OwnerID: "ann"}, time.Hour); !errors.As(err, &failed) {
					t.Fatalf("got %v, want a FailedError", err)
				}
				if took := time.Since(began); took < c.want || took > c.want+time.Second {
					t.Errorf("it failed after %s, want %s", took, c.want)
				}
				s.pass(time.Second)
				if i := s.info(project); i.State != engineproxy.StateFailed || i.FailureCode != failTimeout {
					t.Errorf("operators see %+v", i)
				}
				if left := s.driver.Running(); len(left) > 0 {
					t.Errorf("%v run", left)
				}
			})
		})
	}
}

func TestStartGoesOnWhenItsClientLeaves(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		s.driver.Set(func(f *fakedriver.Faults) { f.StartTakes = 10 * time.Second })
		project := mint.NewProjectID()
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error, 1)
		go func() {
			_, err := s.Submit(ctx, engineproxy.Project{ID: project, OwnerID: "ann"}, time.Minute)
			gone <- err
		}()
		s.pass(time.Second)
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("who left got %v", err)
		}
		s.pass(10 * time.Second)
		s.want(project, engineproxy.StateReady)
	})
}

func TestChangedConfigurationForgetsAFatalFailure(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		s.driver.Set(func(f *fakedriver.Faults) { f.Refuse = func(driver.Spec) error { return driver.ErrFatalSpec } })
		project := mint.NewProjectID()
		if _, err := s.Submit(t.Context(), engineproxy.Project{ID: project}, time.Minute); err == nil {
			t.Fatal("it started")
		}
		s.driver.Set(func(f *fakedriver.Faults) { f.Refuse = nil })
		s.pass(time.Hour)
		s.want(project, engineproxy.StateFailed)
		if err := s.Apply(Settings{}); err != nil {
			t.Fatal(err)
		}
		s.submit(project, "ann")
	})
}

func TestUnreachableDriverFreezesEverything(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		idle, working := s.ready("ann"), s.ready("bob")
		s.accept(working)
		before := s.driver.Running()
		s.driver.SetDown(true)
		s.pass(25 * time.Minute) // twice is less than a job may take
		s.want(idle, engineproxy.StateReady)
		s.want(working, engineproxy.StateReady)
		s.submit(idle, "ann") // engines that run go on to be used
		if _, err := s.Submit(t.Context(), engineproxy.Project{ID: mint.NewProjectID()}, time.Second); !errors.Is(err, engineproxy.ErrUnreachable) {
			t.Errorf("a new engine: %v, want ErrUnreachable", err)
		}
		s.driver.SetDown(false)
		if after := s.driver.Running(); len(after) != 2 || after[0] != before[0] || after[1] != before[1] {
			t.Fatalf("%v run, before %v", after, before)
		}
		s.pass(25 * time.Minute)
		s.want(idle, engineproxy.StateAbsent)
		s.want(working, engineproxy.StateReady)
	})
}

func TestProxyThatStartsWhileTheDriverIsDownAdoptsWhenItIsBack(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		project := s.ready("ann")
		s.accept(project)
		before := s.driver.Running()
		s.close()
		s.driver.SetDown(true)
		s.open()
		s.pass(time.Hour)
		s.want(project, engineproxy.StateRecovering)
		s.driver.SetDown(false)
		s.pass(time.Minute)
		s.want(project, engineproxy.StateReady)
		if after := s.driver.Running(); len(after) != 1 || after[0] != before[0] {
			t.Fatalf("%v run, before %v", after, before)
		}
	})
}

func TestSilentEngineHasItsGraceAfterARestart(t *testing.T) {
	t.Parallel()
	for name, sw := range map[string]fakeengine.Switches{
		"never ready":     {NeverReady: true},
		"wrong instance":  {WrongInstance: true},
		"does not answer": {SilentAfter: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			simulate(t, func(o *Options) { o.IdleTTL = time.Hour }, func(t *testing.T, s *sim) {
				project := s.ready("ann")
				// The same instance, but from here on it does as it is told.
				s.driver.Change(sw)
				s.pass(time.Minute)
				running := s.driver.Running()
				s.restart()
				s.pass(2*time.Minute - time.Second)
				if got := s.driver.Running(); len(got) != 1 || got[0] != running[0] {
					t.Fatalf("%v run after less than two minutes, want %v", got, running)
				}
				s.want(project, engineproxy.StateRecovering)
				s.pass(time.Minute)
				if got := s.driver.Running(); len(got) != 0 {
					t.Fatalf("%v run", got)
				}
			})
		})
	}
}

func TestEngineThatNobodyKnowsOfHasItsGrace(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		project := s.ready("ann")
		s.accept(project)
		known := s.driver.Running()
		// One that a journal which was lost knew of.
		other := mint.NewProjectID()
		s.submit(other, "bob")
		s.close()
		if err := (state.Layout{Root: s.dir}).Delete(other); err != nil {
			t.Fatal(err)
		}
		s.open()
		s.pass(2*time.Minute - time.Second)
		if got := s.driver.Running(); len(got) != 2 {
			t.Fatalf("%v run after less than two minutes", got)
		}
		s.pass(5 * time.Minute)
		if got := s.driver.Running(); len(got) != 1 || got[0] != known[0] {
			t.Fatalf("%v run, want %v", got, known)
		}
	})
}

func TestUnresponsiveEngineIsRestartedForItsJobsAfterItsStop(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		project := mint.NewProjectID()
		s.switches(project, fakeengine.Switches{SilentAfter: time.Minute, IgnoreTerm: true})
		s.submit(project, "ann")
		s.accept(project)
		first := s.driver.Running()
		s.pass(90 * time.Second)
		if got := s.driver.Running(); len(got) != 1 || got[0] != first[0] {
			t.Fatal("it was stopped after a few seconds of silence")
		}
		s.switches(project, fakeengine.Switches{})
		s.pass(3 * time.Minute)
		s.want(project, engineproxy.StateReady)
		if got := s.driver.Running(); len(got) != 1 || got[0] == first[0] {
			t.Fatalf("%v runs, want another than %v", got, first)
		}
	})
}

func TestEngineWhoseFeedBreaksTheContractLosesItsJobsAndStays(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		project := mint.NewProjectID()
		s.switches(project, fakeengine.Switches{BrokenFeed: true})
		s.submit(project, "ann")
		job := s.accept(project)
		s.pass(time.Hour)
		if i := s.info(project); i.State != engineproxy.StateFailed || i.FailureCode != failFeed || !i.Fatal {
			t.Fatalf("it is %+v", i)
		}
		s.ledger.with(func() {
			if end, ok := s.ledger.ended[job]; !ok || end.Failure.Code != api.FailureEngineLost {
				t.Errorf("its job ended as %+v", end)
			}
		})
	})
}

func TestEngineThatClaimsWorkForNobodyIsStoppedAfterAnHour(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		project := mint.NewProjectID()
		s.switches(project, fakeengine.Switches{BusyFor: 1000 * time.Hour})
		s.submit(project, "ann")
		s.pass(50 * time.Minute)
		s.want(project, engineproxy.StateReady)
		s.pass(15 * time.Minute)
		s.want(project, engineproxy.StateAbsent)
	})
}

func TestDrainThatAnEarlierProxyLeftIsTakenBack(t *testing.T) {
	t.Parallel()
	for name, drain := range map[string]func(s *sim, project string){
		"before the restart": func(s *sim, project string) { s.drainBeside(project); s.restart(); s.pass(time.Second) },
		"under way at the restart": func(s *sim, project string) {
			s.restart()
			s.pass(time.Second)
			s.drainBeside(project)
			s.pass(callDeadline)
		},
	} {
		t.Run(name, func(t *testing.T) {
			simulate(t, nil, func(t *testing.T, s *sim) {
				project := s.ready("ann")
				drain(s, project)
				s.accept(project) // an engine that is drained refuses it
			})
		})
	}
}

// drainBeside drains a project's engine as another engine proxy would.
func (s *sim) drainBeside(project string) {
	s.t.Helper()
	if err := s.send(project, contract.PathDrain, nil); err != nil {
		s.t.Fatal(err)
	}
}

func TestEndOfAStartingEngineIsSeenAlsoWhenTheDriverCantBeAskedAtThatMoment(t *testing.T) {
	t.Parallel()
	simulate(t, nil, func(t *testing.T, s *sim) {
		project := mint.NewProjectID()
		s.switches(project, fakeengine.Switches{NeverReady: true, CrashAfter: time.Second})
		began := time.Now()
		if _, err := s.Submit(t.Context(), engineproxy.Project{ID: project, OwnerID: "ann"}, 0); err == nil {
			t.Fatal("it is ready")
		}
		s.pass(500 * time.Millisecond)
		s.driver.SetDown(true)
		s.pass(time.Second) // it ends, and the driver hints at it once
		s.driver.SetDown(false)
		s.pass(2 * time.Second)
		if i := s.info(project); i.State != engineproxy.StateFailed || i.FailureCode != failExited {
			t.Errorf("after %s it is %+v", time.Since(began), i)
		}
	})
}
