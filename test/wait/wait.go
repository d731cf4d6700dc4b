// Package wait bounds what tests wait for. A bound is there to end a test that
// hangs, not to time a machine: it is counted in the time that the machine had
// for the test. While three programs want each processor, a second counts as a
// third of one.
package wait

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"
)

// Patience bounds every wait of a test, in time of a machine that is not busy.
const Patience = time.Minute

// poll is how often Until asks.
const poll = 5 * time.Millisecond

// errPatience is why a context of this package ended.
var errPatience = errors.New("the test's patience is over")

// Until returns once ok is true. It asks every few milliseconds, and fails the
// test after Patience: what names what never came.
func Until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	if err := Poll(t.Context(), Patience, ok); err != nil {
		t.Fatalf("never: %s: %v", what, err)
	}
}

// Poll returns nil once ok is true, or an error when ctx ends or the machine has
// had the time of limit before.
func Poll(ctx context.Context, limit time.Duration, ok func() bool) error {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for m := newMeter(); !ok(); {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("waiting: %w", context.Cause(ctx))
		}
		if passed := m.passed(); passed > limit {
			return fmt.Errorf("waiting for %s: %w", passed.Round(time.Millisecond), errPatience)
		}
	}
	return nil
}

// For returns what a channel holds, the zero value once it is closed. It fails
// the test after Patience: what names what never came.
func For[T any](t testing.TB, what string, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from: // it is there already: no context need be made
		return v
	default:
	}
	ctx, cancel := Within(t.Context(), Patience)
	defer cancel()
	select {
	case v := <-from:
		return v
	case <-ctx.Done():
		t.Fatalf("never: %s: %v", what, context.Cause(ctx))
		panic("unreachable")
	}
}

// Context is the test's context, done also after Patience.
func Context(t testing.TB) (context.Context, context.CancelFunc) {
	return Within(t.Context(), Patience)
}

// Within returns a context that is done once the machine has had the time of
// limit. Its cancel function must be called.
func Within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		tick := time.NewTicker(10 * poll)
		defer tick.Stop()
		for m := newMeter(); m.passed() <= limit; {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
		cancel(errPatience)
	}()
	return ctx, func() { cancel(context.Canceled) }
}
