package process

import (
	"context"
	"errors"
	"fmt"
	"os"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
	"github.com/svc-games/svc/engine-proxy/driver/process/shim"
)

// Watch implements driver.Driver.
func (d *Driver) Watch(ctx context.Context) (<-chan driver.Event, error) {
	return d.events.Watch(ctx), nil
}

// instance is a shim whose end is awaited through its pidfd, which names it
// and nothing else even after its id was given to another process.
type instance struct {
	id    shim.Identity
	pidfd *os.File
	ended chan struct{} // closed once the shim has ended
}

// attend begins to await the end of a shim, a child of ours (child is not nil)
// or an adopted one, unless that is done already. ErrNotFound, ErrIdentity or
// ErrUnavailable.
func (d *Driver) attend(id shim.Identity, child *os.Process) (*instance, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if in := d.attended[id.InstanceID]; in != nil && in.id == id {
		return in, nil
	}
	if id.BootID != d.bootID {
		return nil, driver.ErrNotFound
	}
	fd, err := unix.PidfdOpen(id.PID, unix.PIDFD_NONBLOCK)
	if errors.Is(err, unix.ESRCH) || errors.Is(err, unix.EINVAL) {
		return nil, driver.ErrNotFound
	}
	if err != nil {
		return nil, driverkit.Unavailable(fmt.Errorf("opening pidfd: %w", err))
	}
	pidfd := os.NewFile(uintptr(fd), "pidfd")
	if child == nil {
		// The id may have changed hands before the pidfd was opened, not after.
		if err := d.verify(id); err != nil {
			return nil, errors.Join(err, pidfd.Close())
		}
	}
	in := &instance{id: id, pidfd: pidfd, ended: make(chan struct{})}
	d.attended[id.InstanceID] = in
	go d.await(in, child)
	return in, nil
}

// await returns when the shim has ended. It lives as long as that does: a
// child must be reaped whatever its driver does.
func (d *Driver) await(in *instance, child *os.Process) {
	if err := waitExit(in.pidfd); err != nil {
		d.opts.Logger.Error("awaiting engine process failed", zap.Int("pid", in.id.PID), zap.Error(err))
		return
	}
	if child != nil {
		_, _ = child.Wait() // how the shim ended says nothing of the engine
	}
	close(in.ended)
	d.events.Publish(driver.Event{ProjectID: in.id.ProjectID, InstanceID: in.id.InstanceID})
}

// waitExit waits on the runtime's poller, so that no thread is held by it.
func waitExit(pidfd *os.File) error {
	conn, err := pidfd.SyscallConn()
	if err != nil {
		return fmt.Errorf("polling pidfd: %w", err)
	}
	var pollErr error
	err = conn.Read(func(fd uintptr) bool {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, 0)
		if err != nil && !errors.Is(err, unix.EINTR) {
			pollErr = err
			return true
		}
		return n > 0
	})
	if err = errors.Join(err, pollErr); err != nil {
		return fmt.Errorf("polling pidfd: %w", err)
	}
	return nil
}

// signal sends a signal to the shim of a handle, and to no other process.
func (in *instance) signal(sig unix.Signal) error {
	conn, err := in.pidfd.SyscallConn()
	if err != nil {
		return fmt.Errorf("using pidfd: %w", err)
	}
	var sent error
	if err := conn.Control(func(fd uintptr) { sent = unix.PidfdSendSignal(int(fd), sig, nil, 0) }); err != nil {
		return fmt.Errorf("using pidfd: %w", err)
	}
	return sent
}
