package shim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/process/cgroup"
	"github.com/svc-games/svc/engine-proxy/driver/process/confine"
	"github.com/svc-games/svc/engine-proxy/driver/process/procfs"
)

// What a shim takes as an order.
const (
	SignalEnd  = unix.SIGTERM // asks the engine to end
	SignalKill = unix.SIGINT  // kills it and all that it started
)

// supervisor is a shim at work.
type supervisor struct {
	config Config
	ask    chan os.Signal // orders
	child  chan os.Signal // something ended
	engine int            // the engine's process id, for us: Record's is the engine proxy's
	log    *engineLog

	mu     sync.Mutex // guards record once the engine runs
	record Record
}

// supervise runs an engine to its end.
func supervise() error {
	// The engine is killed when the thread that started it is gone, and so
	// that must be one that stays as long as we do.
	runtime.LockOSThread()
	if err := closeInherited(); err != nil {
		return err
	}
	unix.CloseOnExec(statusFD)
	status := os.NewFile(statusFD, "status")
	c, err := readConfig(os.Stdin)
	if err != nil {
		return err
	}
	s := &supervisor{config: c, record: c.Record, ask: make(chan os.Signal, 4), child: make(chan os.Signal, 1)}
	if err := s.prepare(); err != nil {
		refused := refusal(err)
		refused.Identity = s.record.Identity
		return errors.Join(err, writeStatus(status, refused))
	}
	refused, err := s.start()
	if err != nil {
		failed := refusal(err)
		refused = &failed
	}
	if refused != nil {
		refused.Identity = s.record.Identity
		exit := driver.Exit{Code: -1, Reason: driver.ReasonRefused, Detail: refused.Refused, At: time.Now().UTC()}
		s.sweep()
		err = s.finish(exit)
		return errors.Join(err, writeStatus(status, *refused))
	}
	// A caller that is gone finds us by our record.
	_ = writeStatus(status, Status{Identity: s.record.Identity})
	if err := status.Close(); err != nil {
		return fmt.Errorf("closing status pipe: %w", err)
	}
	exit := s.watch()
	s.sweep()
	return s.finish(exit)
}

func writeStatus(to io.Writer, st Status) error {
	if err := json.NewEncoder(to).Encode(st); err != nil {
		return fmt.Errorf("telling how the start went: %w", err)
	}
	return nil
}

// prepare makes us findable, and the parent of all that loses its own.
func (s *supervisor) prepare() error {
	// Caught and not ignored: the engine would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE, syscall.SIGHUP)
	signal.Notify(s.ask, SignalEnd, SignalKill)
	signal.Notify(s.child, syscall.SIGCHLD)
	unix.Umask(0o077)
	if err := os.Chdir("/"); err != nil {
		return fmt.Errorf("leaving directory: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("becoming subreaper: %w", err)
	}
	var err error
	if s.record.Identity, err = self(s.config.ProjectID, s.config.InstanceID); err != nil {
		return err
	}
	return s.note()
}

func (s *supervisor) note() error {
	if err := write(filepath.Join(s.config.StateDir, recordFile), s.record); err != nil {
		return fmt.Errorf("noting instance: %w", err)
	}
	return nil
}

// start starts our second face and returns nil once that has become the
// engine, or why it has not.
func (s *supervisor) start() (refused *Status, err error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	if s.log, err = openLog(s.config.StateDir, s.config.LogBytes); err != nil {
		return nil, err
	}
	said, err := s.log.pipe()
	if err != nil {
		return nil, err
	}
	defer said.Close()
	config, err := s.config.Pipe()
	if err != nil {
		return nil, err
	}
	defer config.Close()
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making pipe: %w", err)
	}
	defer r.Close()
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("making socket pair: %w", err), w.Close())
	}
	defer unix.Close(ends[0])
	pidfd := -1
	attr := &syscall.ProcAttr{
		Files: []uintptr{null.Fd(), said.Fd(), said.Fd(), w.Fd(), config.Fd(), uintptr(ends[1])},
		// A group of its own, and the end when we end: nobody would be left to
		// see to it.
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, PidFD: &pidfd},
	}
	if s.config.Namespaces != confine.NoRight {
		attr.Sys.Cloneflags = confine.Namespaces
	}
	if s.record.Cgroup != "" {
		dir, err := os.Open(s.record.Cgroup)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("opening cgroup: %w", err), w.Close())
		}
		defer dir.Close()
		attr.Sys.UseCgroupFD, attr.Sys.CgroupFD = true, int(dir.Fd())
	}
	s.engine, err = syscall.ForkExec("/proc/self/exe", []string{os.Args[0], commandEnter}, attr)
	if err = errors.Join(err, unix.Close(ends[1]), w.Close()); err != nil {
		return nil, fmt.Errorf("starting engine: %w", err)
	}
	defer unix.Close(pidfd)
	if s.record.Engine, err = procfs.Named(pidfd); err != nil {
		return nil, err
	}
	st, err := procfs.ReadStat(s.record.Engine)
	if err != nil {
		return nil, err
	}
	s.record.EngineTicks = st.StartTicks
	if err := s.note(); err != nil {
		return nil, err
	}
	return s.entered(r, ends[0])
}

// entered waits until the engine's program runs, or returns why it does not.
func (s *supervisor) entered(status io.Reader, guard int) (*Status, error) {
	refused := new(Status)
	switch err := json.NewDecoder(status).Decode(refused); {
	case errors.Is(err, io.EOF): // closed by execve
		return nil, s.guard(guard)
	case err != nil:
		return nil, fmt.Errorf("learning how the start went: %w", err)
	}
	return refused, nil
}

// guard begins to answer what the kernel asks about the engine.
func (s *supervisor) guard(from int) error {
	listener, err := takeOver(from)
	if err != nil || listener < 0 {
		return err
	}
	procs, err := s.processes()
	if err != nil {
		return errors.Join(err, unix.Close(listener))
	}
	g := &guard{listener: listener, procs: procs, socket: s.config.Egress, unlisted: s.unlisted}
	go func() {
		if err := g.run(); err != nil {
			fmt.Fprintln(s.log, "svc-shim:", err)
		}
	}()
	return nil
}

// processes opens the directory in which processes have the numbers that they
// have for us.
func (s *supervisor) processes() (fd int, err error) {
	if s.config.Namespaces != confine.NoRight {
		return confine.Processes()
	}
	if fd, err = unix.Open("/proc", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err != nil {
		return -1, fmt.Errorf("opening list of processes: %w", err)
	}
	return fd, nil
}

// maxUnlisted is how many system calls a record names.
const maxUnlisted = 64

// unlisted notes that the engine tried a system call that it may not use.
func (s *supervisor) unlisted(number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.record.Unlisted) == maxUnlisted || slices.Contains(s.record.Unlisted, number) {
		return
	}
	s.record.Unlisted = append(s.record.Unlisted, number)
	if err := s.note(); err != nil {
		fmt.Fprintln(s.log, "svc-shim:", err)
	}
}

// watch waits for the engine's end and passes on what we are asked.
func (s *supervisor) watch() driver.Exit {
	for {
		if ws, ok := s.reap(); ok {
			return s.describe(ws)
		}
		select {
		case <-s.child:
		case sig := <-s.ask:
			if sig == SignalEnd {
				_ = unix.Kill(-s.engine, unix.SIGTERM) // it may just have ended
				continue
			}
			s.killAll()
		}
	}
}

// reap collects what has ended, and returns the engine's status when it is
// among it.
func (s *supervisor) reap() (status unix.WaitStatus, ended bool) {
	for {
		var ws unix.WaitStatus
		pid, err := unix.Wait4(-1, &ws, unix.WNOHANG, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || pid == 0 {
			return status, ended
		}
		if pid == s.engine {
			status, ended = ws, true
		}
	}
}

func (s *supervisor) describe(ws unix.WaitStatus) driver.Exit {
	exit := driver.Exit{Code: ws.ExitStatus(), Reason: driver.ReasonExited, At: time.Now().UTC()}
	if ws.Signaled() {
		exit.Signal, exit.Reason = int(ws.Signal()), driver.ReasonKilled
	}
	if s.record.Cgroup != "" && cgroup.OOMKilled(s.record.Cgroup) {
		exit.Reason = driver.ReasonOOM
	}
	return exit
}

// finish leaves word of the end.
func (s *supervisor) finish(exit driver.Exit) error {
	err := s.log.close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.record.Cgroup != "" {
		err = errors.Join(err, cgroup.Remove(s.record.Cgroup))
	}
	writeErr := write(filepath.Join(s.config.StateDir, exitFile), Ended{Record: s.record, Exit: exit})
	if writeErr != nil {
		writeErr = fmt.Errorf("noting end: %w", writeErr)
	}
	return errors.Join(err, writeErr)
}
