package shim

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/engine-proxy/driver/process/confine"
)

// oomScore makes the kernel end an engine before the service when memory is
// short.
const oomScore = "500"

// enter becomes the engine. What keeps it from that it tells on statusFD,
// which the engine's program does not get.
func enter() error {
	runtime.LockOSThread()
	shim := os.Getppid()
	unix.CloseOnExec(statusFD)
	unix.CloseOnExec(configFD)
	unix.CloseOnExec(guardFD)
	c, err := readConfig(os.NewFile(configFD, "config"))
	if err == nil {
		err = become(c, shim)
	}
	status := os.NewFile(statusFD, "status")
	refused := refusal(err)
	refused.Identity = c.Identity
	if writeErr := json.NewEncoder(status).Encode(refused); writeErr != nil {
		return errors.Join(err, writeErr)
	}
	return err
}

// errOrphan ends a start whose shim was killed in the middle of it.
var errOrphan = errors.New("the shim is gone")

// become returns only when it fails.
func become(c Config, shim int) error {
	// The service is spared at the engine's cost; that it can't be is no
	// reason not to run.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte(oomScore), 0)
	for _, l := range c.Rlimits {
		limit := unix.Rlimit{Cur: l.Value, Max: l.Value}
		var now unix.Rlimit
		if err := unix.Getrlimit(l.Resource, &now); err != nil {
			return fmt.Errorf("reading limit %d: %w", l.Resource, err)
		}
		limit.Max = min(limit.Max, now.Max) // raising it is root's alone
		limit.Cur = min(limit.Cur, limit.Max)
		if err := syscall.Setrlimit(l.Resource, (*syscall.Rlimit)(&limit)); err != nil {
			return fmt.Errorf("setting limit %d: %w", l.Resource, err)
		}
	}
	if err := freshSignals(); err != nil {
		return err
	}
	listener, err := confine.Thread(c.Confine)
	if err != nil {
		return err
	}
	// Another user's process has lost what the shim asked the kernel for.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("asking for the end with the shim: %w", err)
	}
	if os.Getppid() != shim {
		return errOrphan
	}
	if err := handOver(guardFD, listener); err != nil {
		return err
	}
	if err := syscall.Exec(c.Command[0], c.Command, c.Env); err != nil {
		return fmt.Errorf("running %s: %w", c.Command[0], &execError{err})
	}
	return nil
}

// execError is what kept the engine's program from being run.
type execError struct{ error }

func (e *execError) Unwrap() error { return e.error }

// fatal reports whether an error will be the same the next time.
func fatal(err error) bool {
	var exec *execError
	if !errors.As(err, &exec) {
		return false
	}
	lasting := []unix.Errno{unix.ENOENT, unix.EACCES, unix.EPERM, unix.ENOEXEC, unix.ENOTDIR, unix.ELOOP, unix.EISDIR}
	return slices.ContainsFunc(lasting, func(e unix.Errno) bool { return errors.Is(err, e) })
}
