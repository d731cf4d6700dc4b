package fleet

import (
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/lifecycle"
	"github.com/svc-games/svc/engine-proxy/state"
	fakedriver "github.com/svc-games/svc/test/fake/driver"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
)

func TestOwnerOverTheCapIsRefusedAndOthersAreNot(t *testing.T) {
	t.Parallel()
	simulate(t, func(o *Options) { o.MaxPerOwner = 2 }, func(t *testing.T, s *sim) {
		for range 2 {
			s.accept(s.ready("ann"))
		}
		next := engineproxy.Project{ID: mint.NewProjectID(), OwnerID: "ann"}
		var full *engineproxy.RoomError
		if _, err := s.Submit(t.Context(), next, time.Minute); !errors.As(err, &full) || !full.Owner || full.Most != 2 || full.RetryAfter <= 0 {
			t.Fatalf("got %v, want the owner's RoomError", err)
		}
		s.want(next.ID, engineproxy.StateAbsent)
		s.ready("bob")
	})
}

func TestFullMachineStopsTheEngineThatWasIdleForLongest(t *testing.T) {
	t.Parallel()
	simulate(t, func(o *Options) { o.MaxEngines = 3 }, func(t *testing.T, s *sim) {
		working := s.ready("ann")
		s.accept(working)
		old := s.ready("bob")
		s.pass(time.Minute)
		young := s.ready("cid")
		s.pass(time.Minute)
		next := s.ready("dan")
		s.want(old, engineproxy.StateAbsent)
		s.want(young, engineproxy.StateReady)
		s.want(working, engineproxy.StateReady)
		s.want(next, engineproxy.StateReady)
		if d, _ := s.Show(t.Context(), old); d.Transitions[len(d.Transitions)-2].Cause != "evicted" {
			t.Errorf("it was not evicted: %+v", d.Transitions)
		}
	})
}

func TestFullMachineThatWorksRefusesAndThenGoesOn(t *testing.T) {
	t.Parallel()
	simulate(t, func(o *Options) { o.MaxEngines = 1 }, func(t *testing.T, s *sim) {
		working := s.ready("ann")
		job := s.accept(working)
		s.pass(time.Minute)
		next := engineproxy.Project{ID: mint.NewProjectID(), OwnerID: "bob"}
		var full *engineproxy.RoomError
		if _, err := s.Submit(t.Context(), next, time.Minute); !errors.As(err, &full) || full.Owner {
			t.Fatalf("got %v, want the machine's RoomError", err)
		}
		if err := s.end(working, job); err != nil {
			t.Fatal(err)
		}
		s.pass(time.Minute)
		s.submit(next.ID, next.OwnerID)
		s.want(working, engineproxy.StateAbsent)
	})
}

func TestStartsTakeTurnsByOwnerAndNotMoreThanAFewAtOnce(t *testing.T) {
	t.Parallel()
	simulate(t, func(o *Options) { o.MaxStarts = 2; o.MaxPerOwner = 20 }, func(t *testing.T, s *sim) {
		s.driver.Set(func(f *fakedriver.Faults) { f.StartTakes = 10 * time.Second })
		submit := func(owner string) string {
			id := mint.NewProjectID()
			var starting *engineproxy.StartingError
			if _, err := s.Submit(t.Context(), engineproxy.Project{ID: id, OwnerID: owner}, 0); !errors.As(err, &starting) {
				t.Fatalf("got %v, want a StartingError", err)
			}
			return id
		}
		var hers []string
		for range 8 {
			hers = append(hers, submit("ann"))
		}
		his := submit("bob")
		synctest.Wait()
		creating := 0
		for _, id := range append(hers, his) {
			if i := s.info(id); i.Phase == "creating" {
				creating++
			} else if i.Phase != "queued" {
				t.Errorf("phase %s", i.Phase)
			}
		}
		if creating != 2 {
			t.Errorf("%d starts at once, want 2", creating)
		}
		s.pass(21 * time.Second) // two rounds: the second one is his as well
		s.want(his, engineproxy.StateReady)
		s.want(hers[7], engineproxy.StateStarting)
		s.pass(time.Minute)
		s.want(hers[7], engineproxy.StateReady)
	})
}

func TestStartThatWaitsTooLongForItsTurnFailsAndLosesNothing(t *testing.T) {
	t.Parallel()
	simulate(t, func(o *Options) { o.MaxStarts = 1 }, func(t *testing.T, s *sim) {
		s.driver.Set(func(f *fakedriver.Faults) { f.StartTakes = time.Hour }) // ends with its deadline
		blocking, waiting := mint.NewProjectID(), mint.NewProjectID()
		for _, id := range []string{blocking, waiting} {
			_, _ = s.Submit(t.Context(), engineproxy.Project{ID: id, OwnerID: "ann"}, 0)
		}
		s.pass(89 * time.Second)
		s.want(blocking, engineproxy.StateStarting)
		s.pass(2 * time.Second)
		if i := s.info(blocking); i.State != engineproxy.StateFailed || i.FailureCode != failTimeout {
			t.Fatalf("the one that does not start: %+v", i)
		}
		s.driver.Set(func(f *fakedriver.Faults) { f.StartTakes = 0 })
		s.pass(2 * time.Minute)
		if running := s.driver.Running(); len(running) > 1 {
			t.Errorf("%v run", running)
		}
	})
}

func TestAdoptedEnginesCountAgainstTheCap(t *testing.T) {
	t.Parallel()
	simulate(t, func(o *Options) { o.MaxPerOwner = 1 }, func(t *testing.T, s *sim) {
		s.accept(s.ready("ann"))
		s.restart()
		s.pass(time.Second)
		var full *engineproxy.RoomError
		if _, err := s.Submit(t.Context(), engineproxy.Project{ID: mint.NewProjectID(), OwnerID: "ann"}, time.Minute); !errors.As(err, &full) {
			t.Fatalf("got %v, want a RoomError", err)
		}
	})
}

func TestStartThatWaitsForItsTurnIsInTheJournalAndNoEngine(t *testing.T) {
	t.Parallel()
	simulate(t, func(o *Options) { o.MaxStarts = 1 }, func(t *testing.T, s *sim) {
		s.driver.Set(func(f *fakedriver.Faults) { f.StartTakes = time.Hour })
		first, waiting := engineproxy.Project{ID: mint.NewProjectID(), OwnerID: "ann"}, engineproxy.Project{ID: mint.NewProjectID(), OwnerID: "bob"}
		for _, p := range []engineproxy.Project{first, waiting} {
			_, _ = s.Submit(t.Context(), p, 0)
		}
		synctest.Wait()
		before, err := state.ReadEntry(s.layout.State(waiting.ID))
		if err != nil || before.InstanceID == "" || before.Generation != 1 {
			t.Fatalf("the journal of the one that waits is %+v, %v", before, err)
		}
		if i := s.info(waiting.ID); i.Phase != "queued" || i.InstanceID != "" {
			t.Fatalf("it is %+v", i)
		}
		s.close()
		s.driver.Set(func(f *fakedriver.Faults) { f.StartTakes = 0 })
		s.open()
		s.pass(time.Second)
		s.want(waiting.ID, engineproxy.StateAbsent)
		s.submit(waiting.ID, waiting.OwnerID)
		if after, err := state.ReadEntry(s.layout.State(waiting.ID)); err != nil || after.Generation != 2 || after.InstanceID == before.InstanceID {
			t.Errorf("its next start is %+v, %v", after, err)
		}
	})
}

func TestStartThatIsCalledOffInTheQueueNeedsNoDriverToGo(t *testing.T) {
	t.Parallel()
	simulate(t, func(o *Options) { o.MaxStarts = 1 }, func(t *testing.T, s *sim) {
		s.driver.Set(func(f *fakedriver.Faults) { f.StartTakes = time.Hour })
		for _, id := range []string{mint.NewProjectID(), mint.NewProjectID()} {
			_, _ = s.Submit(t.Context(), engineproxy.Project{ID: id, OwnerID: "ann"}, 0)
			synctest.Wait()
			if s.info(id).Phase != "queued" {
				continue
			}
			s.driver.SetDown(true)
			if err := s.Stop(t.Context(), id, true); err != nil {
				t.Fatal(err)
			}
			s.want(id, engineproxy.StateAbsent)
			if e, err := state.ReadEntry(s.layout.State(id)); err != nil || e.InstanceID != "" || e.Generation != 1 {
				t.Errorf("its journal is %+v, %v", e, err)
			}
			return
		}
		t.Fatal("none was queued")
	})
}

func TestStartThatOnlyWaitsKeepsNoTurnAndOneThatComputesDoes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		computes bool
		want     engineproxy.State // of the next, a second later
	}{
		"waits":    {false, engineproxy.StateReady},
		"computes": {true, engineproxy.StateStarting},
	} {
		t.Run(name, func(t *testing.T) {
			simulate(t, func(o *Options) { o.MaxStarts = 1 }, func(t *testing.T, s *sim) {
				slow, next := mint.NewProjectID(), mint.NewProjectID()
				s.switches(slow, fakeengine.Switches{NeverReady: true})
				s.driver.Set(func(f *fakedriver.Faults) { f.Computes[slow] = c.computes })
				for _, id := range []string{slow, next} {
					_, _ = s.Submit(t.Context(), engineproxy.Project{ID: id, OwnerID: "ann"}, 0)
					synctest.Wait()
				}
				s.want(next, engineproxy.StateStarting)
				s.pass(time.Second)
				s.want(slow, engineproxy.StateStarting)
				s.want(next, c.want)
				s.pass(time.Minute)
				s.want(slow, engineproxy.StateFailed)
				s.want(next, engineproxy.StateReady)
			})
		})
	}
}

// TestTurnThatWasLentIsNotGivenBackTwice: the end of a start that has lent its
// turn frees none.
func TestTurnThatWasLentIsNotGivenBackTwice(t *testing.T) {
	t.Parallel()
	simulate(t, func(o *Options) { o.MaxStarts = 1 }, func(t *testing.T, s *sim) {
		waits, computes, last := mint.NewProjectID(), mint.NewProjectID(), mint.NewProjectID()
		s.switches(waits, fakeengine.Switches{ReadyAfter: 10 * time.Second})
		s.switches(computes, fakeengine.Switches{ReadyAfter: 30 * time.Second})
		s.driver.Set(func(f *fakedriver.Faults) { f.Computes[computes] = true })
		for _, id := range []string{waits, computes, last} {
			_, _ = s.Submit(t.Context(), engineproxy.Project{ID: id, OwnerID: "ann"}, 0)
			synctest.Wait()
		}
		s.pass(12 * time.Second)
		s.want(waits, engineproxy.StateReady)
		if i := s.info(last); i.Phase != string(lifecycle.Queued) {
			t.Fatalf("two start at once: %+v", i)
		}
		s.pass(30 * time.Second)
		s.want(last, engineproxy.StateReady)
	})
}

func TestAsManyStartAtOnceAsThereAreCoresAndTwoAtLeast(t *testing.T) {
	t.Parallel()
	for want, d := range map[int]driver.Driver{max(2, runtime.NumCPU()): fakedriver.NewLocal(), startsElsewhere: &fakedriver.Cluster{}} {
		o := Options{DataDir: "data", Driver: d, Ledger: newFakeLedger()}
		if err := o.complete(); err != nil {
			t.Fatal(err)
		}
		if o.MaxStarts != want {
			t.Errorf("%T: %d, want %d", d, o.MaxStarts, want)
		}
	}
}
