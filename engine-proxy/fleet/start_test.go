package fleet

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/process"
	"github.com/svc-games/svc/engine-proxy/state"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/wait"
)

func TestManySubmissionsToAColdProjectStartOneEngine(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	project := mint.NewProjectID()
	r.switches(project, fakeengine.Switches{ReadyAfter: 100 * time.Millisecond})
	const n = 500
	instances := make(chan string, n)
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			lease, err := r.Submit(t.Context(), engineproxy.Project{ID: project, OwnerID: "owner"}, ample)
			if err != nil {
				t.Error(err)
				return
			}
			instances <- lease.InstanceID
			lease.Release()
		})
	}
	wg.Wait()
	close(instances)
	first := <-instances
	for other := range instances {
		if other != first {
			t.Fatalf("submissions reached two instances, %s and %s", first, other)
		}
	}
	if got := fakeengine.Starts(r.volume(project)); got != 1 {
		t.Fatalf("%d engines started, want 1", got)
	}
}

func TestSubmissionIsRefusedAsStartingWhenHoldIsOver(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	project := mint.NewProjectID()
	r.switches(project, fakeengine.Switches{NeverReady: true})
	for _, hold := range []time.Duration{0, 20 * time.Millisecond} {
		_, err := r.Submit(t.Context(), engineproxy.Project{ID: project}, hold)
		var starting *engineproxy.StartingError
		if !errors.As(err, &starting) || starting.Phase == "" {
			t.Fatalf("hold %s: got %v, want a StartingError with its phase", hold, err)
		}
	}
}

func TestFailedStartIsReportedAndNotRepeatedBeforeItsBackOff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		switches fakeengine.Switches
		boot     time.Duration
		reason   string
	}{
		{"exit", fakeengine.Switches{ExitAtStart: 3}, ample, "The engine ended with exit code 3 before it was ready."},
		{"never ready", fakeengine.Switches{NeverReady: true}, 50 * time.Millisecond, "The engine was not ready in time."},
		{"wrong instance", fakeengine.Switches{WrongInstance: true}, ample, "The engine is not the one that was started."},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, func(o *Options) { o.Timing.Boot = c.boot })
			project := mint.NewProjectID()
			r.switches(project, c.switches)
			began := time.Now()
			for range 3 {
				_, err := r.Submit(t.Context(), engineproxy.Project{ID: project}, ample)
				var failed *engineproxy.FailedError
				if !errors.As(err, &failed) {
					t.Fatalf("got %v, want a FailedError", err)
				}
				if failed.Reason != c.reason {
					t.Errorf("reason %q, want %q", failed.Reason, c.reason)
				}
				if failed.Next.Sub(began) < 48*time.Minute || time.Until(failed.Next) > time.Hour {
					t.Errorf("next start in %s, want the back-off of an hour", failed.Next.Sub(began))
				}
			}
			r.eventuallyState(project, engineproxy.StateFailed)
			if got := fakeengine.Starts(r.volume(project)); got > 1 {
				t.Fatalf("%d starts, want 1", got)
			}
			if _, err := r.Attach(t.Context(), project); !errors.Is(err, engineproxy.ErrAbsent) {
				t.Errorf("attach: got %v, want ErrAbsent", err)
			}
		})
	}
}

// hasty is a driver that gives a look up as soon as nobody waits for it.
type hasty struct{ driver.Driver }

func (d hasty) Inspect(ctx context.Context, h driver.Handle) (driver.Observed, error) {
	if err := ctx.Err(); err != nil {
		return driver.Observed{}, err
	}
	return d.Driver.Inspect(ctx, h)
}

// An engine may end, and that may become known, while its start looks at it.
func TestEndThatBecomesKnownWhileTheEngineIsLookedAtIsTheReason(t *testing.T) {
	t.Parallel()
	r := newRigOn(t, nil, func(o *Options) { o.Driver = hasty{newProcessDriver(t, o.DataDir)} })
	a := &actor{px: r.Proxy}
	run := a.newIncarnation(1)
	run.cancel(&exitError{&driver.Exit{Code: 3, Reason: driver.ReasonExited}})
	_, err := a.awaitReady(run, driver.Handle{})
	if f, _ := failureOf(err); f.Reason != "The engine ended with exit code 3 before it was ready." {
		t.Errorf("the start fails with %v, of which the client hears %q", err, f.Reason)
	}
}

func TestEngineThatCannotBeRunFailsWithItsReason(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) {
		var err error
		o.Driver, err = process.New(process.Options{
			StateRoot: filepath.Join(o.DataDir, state.StatesDir), Command: []string{"/nonexistent/svc-engine"},
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	_, err := r.Submit(t.Context(), engineproxy.Project{ID: mint.NewProjectID()}, ample)
	var failed *engineproxy.FailedError
	if !errors.As(err, &failed) || failed.Reason != "The engine's program can't be run." {
		t.Fatalf("got %v, want that the program can't be run", err)
	}
}

func TestEngineIsStartedAgainAfterItsBackOff(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.Timing.BackOff = 20 * time.Millisecond })
	project := mint.NewProjectID()
	r.switches(project, fakeengine.Switches{ExitAtStart: 1})
	if _, err := r.Submit(t.Context(), engineproxy.Project{ID: project}, ample); err == nil {
		t.Fatal("an engine that exits was ready")
	}
	r.switches(project, fakeengine.Switches{})
	wait.Until(t, "engine starts again", func() bool {
		lease, err := r.Submit(t.Context(), engineproxy.Project{ID: project}, time.Second)
		if err != nil {
			return false
		}
		lease.Release()
		return true
	})
}

func TestAttachNeverStartsAnEngine(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	project := mint.NewProjectID()
	if _, err := r.Attach(t.Context(), project); !errors.Is(err, engineproxy.ErrAbsent) {
		t.Fatalf("got %v, want ErrAbsent", err)
	}
	if got := fakeengine.Starts(r.volume(project)); got != 0 {
		t.Fatalf("%d engines started, want none", got)
	}
	at := r.submit(project)
	lease, err := r.Attach(t.Context(), project)
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Release()
	if !same(lease.Endpoint, at) {
		t.Fatalf("attached to %v, want %v", lease.Endpoint, at)
	}
}

func TestAwaitReadyReturnsWhenAnotherStartsTheEngine(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	project := mint.NewProjectID()
	ready := make(chan error, 1)
	go func() { ready <- r.AwaitReady(t.Context(), project) }()
	r.submit(project)
	if err := <-ready; err != nil {
		t.Fatal(err)
	}
}

func TestEngineThatIsNeverReadyKeepsNoOtherFromStarting(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *Options) { o.MaxStarts, o.Timing.Boot = 1, 5*time.Minute })
	if r.cluster != nil {
		return // nobody sees whether an engine elsewhere only waits
	}
	stuck := mint.NewProjectID()
	r.switches(stuck, fakeengine.Switches{NeverReady: true})
	if _, err := r.Submit(t.Context(), engineproxy.Project{ID: stuck, OwnerID: "owner"}, 0); err == nil {
		t.Fatal("it is ready")
	}
	r.submit(mint.NewProjectID())
	if i := r.info(stuck); i.State != engineproxy.StateStarting {
		t.Errorf("the first one is %+v", i)
	}
}
