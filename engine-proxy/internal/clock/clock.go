// Package clock is time as the engine proxy knows it, for tests to replace.
package clock

import (
	"context"
	"errors"
	"time"
)

// Clock is what the engine proxy knows of time.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f in a goroutine of its own once d has passed, unless
	// stop is called before; stop reports whether it was in time.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// System is the machine's clock.
type System struct{}

func (System) Now() time.Time { return time.Now() }

func (System) AfterFunc(d time.Duration, f func()) func() bool {
	return time.AfterFunc(d, f).Stop
}

// ErrDeadline is the cause of a context whose time by the clock is over.
var ErrDeadline = errors.New("time is over")

// Within returns a context that ends, with ErrDeadline as its cause, d after
// now by the clock.
func Within(ctx context.Context, c Clock, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := c.AfterFunc(d, func() { cancel(ErrDeadline) })
	return ctx, func() {
		stop()
		cancel(context.Canceled)
	}
}

// Do calls f with a context that ends d after now by the clock.
func Do(ctx context.Context, c Clock, d time.Duration, f func(context.Context) error) error {
	ctx, cancel := Within(ctx, c, d)
	defer cancel()
	return f(ctx)
}

// Sleep waits for d by the clock, or returns the cause of ctx's end.
func Sleep(ctx context.Context, c Clock, d time.Duration) error {
	fired := make(chan struct{})
	stop := c.AfterFunc(d, func() { close(fired) })
	defer stop()
	select {
	case <-fired:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

var _ Clock = System{}
