package drivertest

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/test/fake/engine/orders"
	"github.com/svc-games/svc/test/wait"
)

// awaitHint waits for a hint about an instance, or for one that says that hints
// were lost, after which the instance must be known to have ended.
func awaitHint(t *testing.T, d driver.Driver, h driver.Handle, s driver.Spec, events <-chan driver.Event) {
	t.Helper()
	ctx, cancel := wait.Context(t)
	defer cancel()
	for {
		select {
		case e, open := <-events:
			if !open {
				t.Fatal("the events ended")
			}
			if e.InstanceID != s.InstanceID && e.InstanceID != "" {
				continue // another test's
			}
			if obs, err := d.Inspect(t.Context(), h); err == nil && !obs.Running {
				return
			}
		case <-ctx.Done():
			t.Fatalf("no hint came: %v", context.Cause(ctx))
		}
	}
}

func (h Harness) testEnds(t *testing.T) {
	t.Run("AreHeardByAllWhoWatch", h.endsReachAllWatchers)
	t.Run("AreNotHeldUpByWhoDoesNotListen", h.endsAreNotHeldUpByWhoDoesNotListen)
	t.Run("AreWatchedUntilTheContextIsOver", h.endsAreWatchedUntilTheContextIsOver)
	for _, code := range []int{0, 1, 3, 255} {
		t.Run("HaveAnExitCode", func(t *testing.T) {
			d, s := h.New(t), h.Spec(t)
			before := time.Now().Add(-time.Minute)
			exit := ended(t, d, start(t, d, s, orders.Orders{Exit: &code}))
			if exit == nil || exit.Code != code || exit.Signal != 0 || exit.Reason != driver.ReasonExited {
				t.Fatalf("an engine that ended with code %d: %+v", code, exit)
			}
			if exit.At.Before(before) || exit.At.After(time.Now().Add(time.Minute)) {
				t.Errorf("it ended at %s", exit.At)
			}
		})
	}
	t.Run("HaveASignal", h.endsHaveASignal)
	t.Run("TakeAlongWhatTheEngineStarted", h.endsTakeAlongWhatTheEngineStarted)
	t.Run("ByTooMuchMemoryAreKnown", h.endsByTooMuchMemoryAreKnown)
}

func (h Harness) endsReachAllWatchers(t *testing.T) {
	d, s := h.New(t), h.Spec(t)
	first, err := d.Watch(t.Context())
	must(t, err)
	second, err := d.Watch(t.Context())
	must(t, err)
	handle := start(t, d, s, orders.Orders{Exit: new(0)})
	awaitHint(t, d, handle, s, first)
	awaitHint(t, d, handle, s, second)
}

func (h Harness) endsAreNotHeldUpByWhoDoesNotListen(t *testing.T) {
	d, s := h.New(t), h.Spec(t)
	_, err := d.Watch(t.Context())
	must(t, err)
	ended(t, d, start(t, d, s, orders.Orders{Exit: new(0)}))
}

func (h Harness) endsAreWatchedUntilTheContextIsOver(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	events, err := h.New(t).Watch(ctx)
	must(t, err)
	cancel()
	wait.Until(t, "the channel is closed", func() bool {
		select {
		case _, open := <-events:
			return !open
		default:
			return false
		}
	})
}

func (h Harness) endsHaveASignal(t *testing.T) {
	d, s := h.New(t), h.Spec(t)
	exit := ended(t, d, start(t, d, s, orders.Orders{Signal: int(syscall.SIGKILL)}))
	if exit == nil || exit.Signal != int(syscall.SIGKILL) || exit.Reason != driver.ReasonKilled {
		t.Errorf("an engine ended by a signal: %+v", exit)
	}
}

func (h Harness) endsTakeAlongWhatTheEngineStarted(t *testing.T) {
	d, s := h.New(t), h.Spec(t)
	ended(t, d, start(t, d, s, orders.Orders{Child: true, Exit: new(0)}))
	stopped(t, s)
}

func (h Harness) endsByTooMuchMemoryAreKnown(t *testing.T) {
	d, s := h.New(t), h.Spec(t)
	claimed(t, d.Capabilities().Memory)
	handle := start(t, d, s, orders.Orders{Memory: 2 * h.Memory})
	must(t, orders.Eat(s.Volume))
	exit := ended(t, d, handle)
	if exit == nil || exit.Reason != driver.ReasonOOM {
		t.Errorf("an engine that took too much memory: %+v", exit)
	}
}
