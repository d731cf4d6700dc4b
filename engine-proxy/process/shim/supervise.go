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
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/process/cgroup"
	"github.com/svc-games/svc/engine-proxy/process/procfs"
)

// What a shim takes as an order.
const (
	SignalEnd  = unix.SIGTERM // asks the engine to end
	SignalKill = unix.SIGINT  // kills it and all that it started
)

// supervisor is a shim at work.
type supervisor struct {
	config Config
	record Record
	ask    chan os.Signal // orders
	child  chan os.Signal // something ended
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
		return errors.Join(err, tell(status, Status{Identity: s.record.Identity, Refused: err.Error()}))
	}
	refused, err := s.start()
	if err != nil {
		refused = &Status{Refused: err.Error()}
	}
	if refused != nil {
		refused.Identity = s.record.Identity
		exit := driver.Exit{Code: -1, Reason: driver.ReasonRefused, Detail: refused.Refused, At: time.Now().UTC()}
		s.sweep()
		err = s.finish(exit)
		return errors.Join(err, tell(status, *refused))
	}
	// A caller that is gone finds us by our record.
	_ = tell(status, Status{Identity: s.record.Identity})
	if err := status.Close(); err != nil {
		return fmt.Errorf("closing status pipe: %w", err)
	}
	exit := s.watch()
	s.sweep()
	return s.finish(exit)
}

func tell(to io.Writer, st Status) error {
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
	log, err := openLog(s.config.StateDir)
	if err != nil {
		return nil, err
	}
	defer log.Close()
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
	attr := &syscall.ProcAttr{
		Files: []uintptr{null.Fd(), log.Fd(), log.Fd(), w.Fd(), config.Fd()},
		// A group of its own, and the end when we end: nobody would be left to
		// see to it.
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	}
	var ends [2]int
	if s.config.Confine.AskToConnect {
		if ends, err = unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0); err != nil {
			return nil, errors.Join(fmt.Errorf("making socket pair: %w", err), w.Close())
		}
		defer unix.Close(ends[0])
		attr.Files = append(attr.Files, uintptr(ends[1]))
	}
	if s.record.Cgroup != "" {
		dir, err := os.Open(s.record.Cgroup)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("opening cgroup: %w", err), w.Close())
		}
		defer dir.Close()
		attr.Sys.UseCgroupFD, attr.Sys.CgroupFD = true, int(dir.Fd())
	}
	pid, err := syscall.ForkExec("/proc/self/exe", []string{os.Args[0], commandEnter}, attr)
	if ends[1] != 0 {
		err = errors.Join(err, unix.Close(ends[1]))
	}
	if closeErr := w.Close(); err != nil || closeErr != nil {
		return nil, fmt.Errorf("starting engine: %w", errors.Join(err, closeErr))
	}
	s.record.Engine = pid
	st, err := procfs.ReadStat(pid)
	if err != nil {
		return nil, err
	}
	s.record.EngineTicks = st.StartTicks
	if err := s.note(); err != nil {
		return nil, err
	}
	refused = new(Status)
	switch err := json.NewDecoder(r).Decode(refused); {
	case errors.Is(err, io.EOF) && s.config.Confine.AskToConnect:
		return nil, s.guard(ends[0])
	case errors.Is(err, io.EOF):
		return nil, nil // closed by execve
	case err != nil:
		return nil, fmt.Errorf("learning how the start went: %w", err)
	}
	return refused, nil
}

// guard begins to answer the engine's connects.
func (s *supervisor) guard(from int) error {
	listener, err := takeOver(from)
	if err != nil {
		return err
	}
	g := &guard{listener: listener, socket: s.config.Egress}
	go func() {
		if err := g.run(); err != nil {
			fmt.Fprintln(os.Stderr, "svc-shim:", err)
		}
	}()
	return nil
}

// watch waits for the engine's end, passes on what we are asked, and keeps the
// log short.
func (s *supervisor) watch() driver.Exit {
	look := time.NewTicker(logEvery)
	defer look.Stop()
	for {
		if ws, ok := s.reap(); ok {
			return s.describe(ws)
		}
		select {
		case <-s.child:
		case sig := <-s.ask:
			if sig == SignalEnd {
				_ = unix.Kill(-s.record.Engine, unix.SIGTERM) // it may just have ended
				continue
			}
			s.killAll()
		case <-look.C:
			if err := cutLog(s.config.StateDir, s.config.LogBytes); err != nil {
				fmt.Fprintln(os.Stderr, "svc-shim:", err)
			}
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
		if pid == s.record.Engine {
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
	err := cutLog(s.config.StateDir, s.config.LogBytes)
	if s.record.Cgroup != "" {
		err = errors.Join(err, cgroup.Remove(s.record.Cgroup))
	}
	writeErr := write(filepath.Join(s.config.StateDir, exitFile), Ended{Record: s.record, Exit: exit})
	if writeErr != nil {
		writeErr = fmt.Errorf("noting end: %w", writeErr)
	}
	return errors.Join(err, writeErr)
}
