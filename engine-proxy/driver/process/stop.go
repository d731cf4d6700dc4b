package process

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
	"github.com/svc-games/svc/engine-proxy/driver/process/shim"
)

// killWait is how long a killed process may take to disappear.
const killWait = 5 * time.Second

// Stop implements driver.Driver. It never signals a process that is not
// provably the handle's.
func (d *Driver) Stop(ctx context.Context, h driver.Handle, grace time.Duration) error {
	id, err := parseHandle(h)
	if err != nil {
		return driverkit.IgnoreGone(err)
	}
	in, err := d.attend(id, nil)
	if errors.Is(err, driver.ErrNotFound) {
		_, err = d.Inspect(ctx, h) // which sees to what is left
		return driverkit.IgnoreGone(err)
	}
	if err != nil {
		return driverkit.IgnoreGone(err)
	}
	// The shim asks the engine, then kills it with all that it started. One
	// that does neither is killed, and the engine with it.
	for _, step := range []struct {
		signal unix.Signal
		limit  time.Duration
	}{{shim.SignalEnd, grace}, {shim.SignalKill, killWait}, {unix.SIGKILL, killWait}} {
		if err := in.signal(step.signal); err != nil && !errors.Is(err, unix.ESRCH) {
			return fmt.Errorf("signalling shim: %w", err)
		}
		ended, err := in.endsWithin(ctx, step.limit)
		if err != nil {
			return err
		}
		if ended {
			_, err := d.Inspect(ctx, h)
			return driverkit.IgnoreGone(err)
		}
	}
	return fmt.Errorf("killing process %d: it does not go: %w", id.PID, driver.ErrUnavailable)
}

func (in *instance) endsWithin(ctx context.Context, limit time.Duration) (bool, error) {
	select {
	case <-in.ended:
		return true, nil
	case <-time.After(limit):
		return false, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}
