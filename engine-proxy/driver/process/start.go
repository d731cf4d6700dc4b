package process

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"go.uber.org/zap"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
	"github.com/svc-games/svc/engine-proxy/driver/process/cgroup"
	"github.com/svc-games/svc/engine-proxy/driver/process/confine"
	"github.com/svc-games/svc/engine-proxy/driver/process/procfs"
	"github.com/svc-games/svc/engine-proxy/driver/process/shim"
)

// Start implements driver.Driver.
func (d *Driver) Start(ctx context.Context, s driver.Spec, progress func(driver.Phase)) (driver.Handle, error) {
	if err := ctx.Err(); err != nil {
		return driver.Handle{}, err
	}
	if want := d.stateDir(s.ProjectID); filepath.Clean(s.StateDir) != want {
		return driver.Handle{}, fmt.Errorf("starting engine: the state directory is %s, and must be %s: %w", s.StateDir, want, driver.ErrFatalSpec)
	}
	leave, err := d.enter(ctx, s.InstanceID)
	if err != nil {
		return driver.Handle{}, err
	}
	defer leave()
	if h, found, err := d.started(ctx, s); found || err != nil {
		return h, err
	}
	if progress != nil {
		progress(driver.PhaseCreating)
	}
	config, err := d.configure(s)
	if err != nil {
		return driver.Handle{}, err
	}
	id, err := d.launch(ctx, config)
	if err != nil {
		return driver.Handle{}, fmt.Errorf("starting engine process: %w", err)
	}
	return newHandle(id), nil
}

// enter makes callers who start one instance take turns.
func (d *Driver) enter(ctx context.Context, instanceID string) (leave func(), err error) {
	for {
		d.mu.Lock()
		busy := d.starting[instanceID]
		if busy == nil {
			mine := make(chan struct{})
			d.starting[instanceID] = mine
			d.mu.Unlock()
			return func() {
				d.mu.Lock()
				delete(d.starting, instanceID)
				d.mu.Unlock()
				close(mine)
			}, nil
		}
		d.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// started returns the handle of an instance that was started before, by us or
// by an earlier engine proxy.
func (d *Driver) started(ctx context.Context, s driver.Spec) (driver.Handle, bool, error) {
	record, err := shim.ReadRecord(s.StateDir)
	if err != nil || record.InstanceID != s.InstanceID {
		return driver.Handle{}, false, nil // there is none, or one that is no more
	}
	h := newHandle(record.Identity)
	if _, err := d.Inspect(ctx, h); err != nil {
		return driver.Handle{}, false, driverkit.IgnoreGone(err)
	}
	return h, true, nil
}

// configure prepares directories and says what the shim is to run.
func (d *Driver) configure(s driver.Spec) (shim.Config, error) {
	prog, err := d.programs()
	if err != nil {
		return shim.Config{}, err
	}
	uid := 0
	if d.users != nil {
		volumeOf := func(id string) string { return filepath.Join(filepath.Dir(s.Volume), id) }
		if s.Volume == "" { // it says of no other's volume that it is gone
			volumeOf = func(string) string { return "/" }
		}
		uid, err = d.users.of(s.ProjectID, volumeOf)
		if errors.Is(err, errNoUser) {
			err = fmt.Errorf("%w: %w", driver.ErrCapacity, err)
		}
		if err != nil {
			return shim.Config{}, fmt.Errorf("choosing engine's user: %w", err)
		}
	}
	if err := d.prepare(s, uid); err != nil {
		return shim.Config{}, err
	}
	if err := shim.Forget(s.StateDir); err != nil {
		return shim.Config{}, err
	}
	c := shim.Config{
		Record: shim.Record{
			Identity: shim.Identity{ProjectID: s.ProjectID, InstanceID: s.InstanceID},
			Volume:   s.Volume, Generation: s.Generation, Socket: s.Socket, UID: uid,
		},
		StateDir: s.StateDir, Command: d.command(prog.path, s), LogBytes: d.opts.LogBytes,
		Env:     driverkit.Environment(filepath.Join(s.RuntimeDir, homeDir), filepath.Join(s.RuntimeDir, tmpDir), d.opts.Env),
		Rlimits: d.rlimits(),
		Confine: confine.Options{
			UID: uid, GID: uid, Dir: cmp.Or(s.Volume, s.RuntimeDir), Files: d.files(s, prog), Landlock: d.opts.Offers.Landlock > 0, OwnRoot: d.ownRoot(),
			SharedUser: d.users == nil && !d.ownRoot(),
		},
		Namespaces: d.opts.Offers.Namespaces, Egress: s.Egress,
	}
	if d.groups != nil {
		limits := cgroup.Limits{Memory: d.opts.Limits.Memory, PIDs: d.opts.Limits.PIDs, CPU: d.opts.Limits.CPU}
		if c.Cgroup, err = d.groups.Make(s.ProjectID, limits); err != nil {
			return shim.Config{}, fmt.Errorf("making engine's cgroup: %w", err)
		}
	}
	return c, nil
}

// ownRoot reports whether engines get a root and namespaces of their own.
func (d *Driver) ownRoot() bool { return d.opts.Offers.Namespaces != confine.NoRight }

// ownProcess is what an engine may know of itself where it sees the machine's
// processes: not the machine's network, which is there as well.
var ownProcess = []string{
	"/proc/self/auxv", "/proc/self/cgroup", "/proc/self/cmdline", "/proc/self/comm", "/proc/self/fd", "/proc/self/limits",
	"/proc/self/maps", "/proc/self/stat", "/proc/self/statm", "/proc/self/status",
}

// files is what there is for an engine.
func (d *Driver) files(s driver.Spec, prog program) *confine.Files {
	f := &confine.Files{
		Own: engineDirs(s), Readable: ownProcess, Programs: append(slices.Clone(prog.needs), d.opts.Readable...),
		Devices: []string{"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"},
	}
	if d.ownRoot() {
		f.Readable = []string{"/proc"}
	}
	if d.opts.Frameworks != "" {
		f.Readable = append(f.Readable, d.opts.Frameworks)
	}
	return f
}

func (d *Driver) command(path string, s driver.Spec) []string {
	return slices.Concat([]string{path}, d.opts.Command[1:], driverkit.Task(s), driverkit.Arguments(
		"--volume", s.Volume, "--socket", s.Socket, "--project", s.ProjectID, "--instance", s.InstanceID, "--token-file", s.TokenFile,
		"--frameworks", d.opts.Frameworks, "--chromium", d.opts.Chromium, "--egress", s.Egress,
		"--volume-bytes", strconv.FormatInt(max(d.opts.Limits.Volume, 0), 10),
	))
}

// launch starts a shim and returns once the engine's program runs. When it
// fails nothing is left.
func (d *Driver) launch(ctx context.Context, c shim.Config) (shim.Identity, error) {
	config, err := c.Pipe()
	if err != nil {
		return shim.Identity{}, err
	}
	defer config.Close()
	status, writer, err := os.Pipe()
	if err != nil {
		return shim.Identity{}, fmt.Errorf("making pipe: %w", err)
	}
	defer status.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return shim.Identity{}, errors.Join(err, writer.Close())
	}
	defer null.Close()
	// A session of its own and no death signal: it outlives us.
	attr := &syscall.SysProcAttr{Setsid: true}
	shim.Isolate(attr, c.Namespaces)
	child, err := os.StartProcess(d.opts.Shim, append([]string{d.opts.Shim}, c.Arguments()...), &os.ProcAttr{
		Dir: "/", Env: append([]string{}, d.opts.Env...), Files: []*os.File{config, null, null, writer},
		Sys: attr,
	})
	if closeErr := writer.Close(); err != nil || closeErr != nil {
		return shim.Identity{}, errors.Join(err, closeErr)
	}
	id, in, err := d.hold(child, c)
	if err != nil {
		_ = child.Kill() // it takes the engine along
		_, _ = child.Wait()
		return shim.Identity{}, fmt.Errorf("taking hold of shim: %w", err)
	}
	err = d.awaitStatus(ctx, status, in)
	if err == nil {
		return id, nil
	}
	return shim.Identity{}, errors.Join(err, d.undo(ctx, in, c))
}

// hold begins to await the end of a shim that was just started. It is not
// reaped before, so its id is still its own.
func (d *Driver) hold(child *os.Process, c shim.Config) (shim.Identity, *instance, error) {
	id := c.Identity
	id.PID, id.BootID = child.Pid, d.bootID
	st, err := procfs.ReadStat(id.PID)
	if err != nil {
		return id, nil, err
	}
	id.StartTicks = st.StartTicks
	in, err := d.attend(id, child)
	return id, in, err
}

// awaitStatus returns nil once the engine's program runs.
func (d *Driver) awaitStatus(ctx context.Context, from *os.File, in *instance) error {
	answered := make(chan error, 1)
	go func() {
		var st shim.Status
		err := json.NewDecoder(from).Decode(&st)
		switch {
		case errors.Is(err, io.EOF):
			err = errors.New("the shim ended")
		case err == nil && st.Refused != "" && st.Fatal:
			err = cannotRun(errors.New(st.Refused))
		case err == nil && st.Refused != "" && st.Full:
			err = fmt.Errorf("%w: %s", driver.ErrCapacity, st.Refused)
		case err == nil && st.Refused != "":
			err = errors.New(st.Refused)
		}
		answered <- err
	}()
	select {
	case err := <-answered:
		return err
	case <-ctx.Done():
		_ = in.signal(shim.SignalKill) // undo sees to it that it is gone
		return ctx.Err()
	}
}

// undo clears a start that failed. The caller's context may be over.
func (d *Driver) undo(ctx context.Context, in *instance, c shim.Config) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*killWait)
	defer cancel()
	h := newHandle(in.id)
	if err := errors.Join(d.Stop(ctx, h, 0), d.Remove(ctx, h)); err != nil {
		d.opts.Logger.Warn("clearing a failed start failed", zap.String("project", c.ProjectID), zap.Error(err))
		return fmt.Errorf("clearing failed start: %w", err)
	}
	return nil
}
