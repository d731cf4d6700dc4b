package process

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
	"github.com/svc-games/svc/engine-proxy/driver/process/procfs"
	"github.com/svc-games/svc/engine-proxy/driver/process/shim"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
)

// A shim that is just being started has no arguments or no record for a
// moment, and one that ends no arguments.
const (
	settleLimit = 2 * time.Second
	settlePause = time.Millisecond
)

func newHandle(id shim.Identity) driver.Handle { return driverkit.NewHandle(Name, id) }

func parseHandle(h driver.Handle) (shim.Identity, error) {
	var id shim.Identity
	err := driverkit.ReadHandle(h, Name, &id)
	return id, err
}

// verify makes sure that the process of a handle is still the shim that was
// started: same boot, same id, same start time, same instance.
func (d *Driver) verify(id shim.Identity) error {
	if id.BootID != d.bootID {
		return driver.ErrNotFound
	}
	for deadline := time.Now().Add(settleLimit); ; time.Sleep(settlePause) {
		st, err := procfs.ReadStat(id.PID)
		switch {
		case err != nil && procfs.Gone(err):
			return driver.ErrNotFound
		case err != nil:
			return driverkit.Unavailable(err)
		case st.StartTicks != id.StartTicks:
			return driver.ErrIdentity
		case st.Dead():
			return driver.ErrNotFound
		}
		args, err := procfs.Arguments(id.PID)
		if err == nil && len(args) > 0 {
			argued, ok := shim.Parse(args)
			if !ok || argued.ProjectID != id.ProjectID || argued.InstanceID != id.InstanceID {
				return driver.ErrIdentity
			}
			return nil
		}
		// It is on its way out.
		if time.Now().After(deadline) {
			return fmt.Errorf("reading arguments of process %d: %w", id.PID, driver.ErrUnavailable)
		}
	}
}

// observed describes an instance by its record.
func observed(r shim.Record, exit *driver.Exit) driver.Observed {
	at := driver.OwnEndpoint(r.Socket, driver.Incarnation{Generation: r.Generation})
	return driver.Observed{
		ProjectID: r.ProjectID, InstanceID: r.InstanceID, Generation: r.Generation, Handle: newHandle(r.Identity), Volume: r.Volume,
		Endpoint: at, PID: r.Engine, Running: exit == nil, Exit: exit,
	}
}

// Inspect implements driver.Driver.
func (d *Driver) Inspect(ctx context.Context, h driver.Handle) (driver.Observed, error) {
	id, err := parseHandle(h)
	if err != nil {
		return driver.Observed{}, err
	}
	if err := ctx.Err(); err != nil {
		return driver.Observed{}, err
	}
	state := d.stateDir(id.ProjectID)
	verifyErr := d.verify(id)
	if errors.Is(verifyErr, driver.ErrUnavailable) {
		return driver.Observed{}, verifyErr
	}
	record, err := shim.ReadRecord(state)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return driver.Observed{}, driverkit.Unavailable(err)
	}
	known := err == nil && record.Identity == id
	if known {
		d.unlisted.note(d.opts.Logger, record)
	}
	if verifyErr == nil {
		if !known { // it has not come to noting anything
			record = shim.Record{Identity: id}
		}
		return observed(record, nil), nil
	}
	// The note of the end is made before the shim's own.
	switch ended, err := shim.ReadEnded(state); {
	case err == nil && ended.Identity == id:
		d.unlisted.note(d.opts.Logger, ended.Record)
		return observed(ended.Record, &ended.Exit), nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return driver.Observed{}, driverkit.Unavailable(err)
	case !known || errors.Is(verifyErr, driver.ErrNotFound) && id.BootID != d.bootID:
		return driver.Observed{}, verifyErr
	}
	// Someone killed the shim. What it looked after ends now.
	if err := d.clearRemains(ctx, record); err != nil {
		return driver.Observed{}, err
	}
	return observed(record, &driver.Exit{Code: -1, Reason: driver.ReasonUnknown, At: time.Now().UTC()}), nil
}

// Adopt implements driver.Driver.
func (d *Driver) Adopt(ctx context.Context, h driver.Handle) (driver.Observed, error) {
	id, err := parseHandle(h)
	if err != nil {
		return driver.Observed{}, err
	}
	if _, err := d.attend(id, nil); err != nil && !errors.Is(err, driver.ErrNotFound) {
		return driver.Observed{}, err
	}
	return driverkit.Adopted(d.Inspect(ctx, h)) // gone is gone when nothing of it is left
}

// List implements driver.Driver: it looks through the machine's processes for
// shims that say to work on our state directories, and believes those that
// these directories name. No engine gets at them.
func (d *Driver) List(ctx context.Context) ([]driver.Observed, error) {
	pids, err := procfs.Processes()
	if err != nil {
		return nil, driverkit.Unavailable(err)
	}
	deadline := time.Now().Add(settleLimit)
	var out []driver.Observed
	for _, pid := range pids {
		record, ok, err := d.recordOf(ctx, pid, deadline)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, observed(record, nil))
		}
	}
	return out, nil
}

// recordOf returns the record of a process that is a shim of ours. It waits
// for one that is just being started.
func (d *Driver) recordOf(ctx context.Context, pid int, deadline time.Time) (shim.Record, bool, error) {
	args, err := procfs.Arguments(pid)
	if err != nil {
		return shim.Record{}, false, nil // gone meanwhile
	}
	argued, ok := shim.Parse(args)
	if !ok || !sameFile(argued.StateDir, d.stateDir(argued.ProjectID)) {
		return shim.Record{}, false, nil
	}
	for {
		st, err := procfs.ReadStat(pid)
		if err != nil || st.Dead() || st.Session != pid {
			return shim.Record{}, false, nil
		}
		record, err := shim.ReadRecord(argued.StateDir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return shim.Record{}, false, driverkit.Unavailable(err)
		}
		if err == nil && record.PID == pid && record.StartTicks == st.StartTicks && record.BootID == d.bootID {
			d.unlisted.note(d.opts.Logger, record)
			return record, true, nil
		}
		if time.Now().After(deadline) {
			return shim.Record{}, false, nil // it only says so
		}
		if err := clock.Sleep(ctx, clock.System{}, settlePause); err != nil {
			return shim.Record{}, false, err
		}
	}
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// Remove implements driver.Driver. The log stays until the next start.
func (d *Driver) Remove(ctx context.Context, h driver.Handle) error {
	id, err := parseHandle(h)
	if err != nil {
		return driverkit.IgnoreGone(err)
	}
	obs, err := d.Inspect(ctx, h)
	if err != nil {
		return driverkit.IgnoreGone(err)
	}
	if obs.Running {
		return errors.New("removing instance: it runs")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.attended, id.InstanceID)
	return shim.Forget(d.stateDir(id.ProjectID))
}
