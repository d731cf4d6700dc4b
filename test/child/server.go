package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/svc-games/svc/test/wait"
)

// Deadlines of a server, generous enough for a busy machine.
const (
	startTimeout = 3 * time.Minute
	stopTimeout  = 90 * time.Second
	pollEvery    = 20 * time.Millisecond
)

// Server is a program in a session of its own that a test ends and starts again. It runs in
// the folder of its log.
type Server struct {
	Args []string
	Log  string              // path of the file that it writes to
	Last syscall.Signal      // what it gets when this process ends; 0: SIGKILL
	User *syscall.Credential // whose it is; nil: as this process

	cmd  *exec.Cmd
	done chan struct{}
	err  error // of its end
}

// Start starts the server, which does not run.
func (s *Server) Start() error {
	log, err := os.OpenFile(s.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd, done := exec.Command(s.Args[0], s.Args[1:]...), make(chan struct{})
	cmd.Dir, cmd.Stdout, cmd.Stderr = filepath.Dir(s.Log), log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: s.Last, Credential: s.User}
	if err := Start(cmd); err != nil {
		return fmt.Errorf("starting %s: %w", s.Args[0], err)
	}
	go func() {
		s.err = cmd.Wait()
		close(done)
	}()
	s.cmd, s.done = cmd, done
	return nil
}

// Answers waits until ok says so.
func (s *Server) Answers(ok func(context.Context) error) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	ctx, cancel := wait.Within(context.Background(), startTimeout)
	defer cancel()
	for {
		err := ok(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-s.done:
			return fmt.Errorf("%s ended:\n%s", s.Args[0], s.Tail())
		case <-ctx.Done():
			return fmt.Errorf("%s does not answer: %w\n%s", s.Args[0], err, s.Tail())
		case <-tick.C:
		}
	}
}

// Err is how the server ended, as of exec.Cmd.Wait; it must have ended.
func (s *Server) Err() error { return s.err }

// End sends a signal and waits until the server has ended. It does nothing for one
// that was never started.
func (s *Server) End(sig syscall.Signal) error {
	if s.cmd == nil {
		return nil
	}
	if err := s.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("ending %s: %w", s.Args[0], err)
	}
	ctx, cancel := wait.Within(context.Background(), stopTimeout)
	defer cancel()
	select {
	case <-s.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s does not end:\n%s", s.Args[0], s.Tail())
	}
}

// Ended reports whether the server does not run any more.
func (s *Server) Ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// Tail returns the last lines of the log.
func (s *Server) Tail() string {
	raw, err := os.ReadFile(s.Log)
	if err != nil {
		return err.Error()
	}
	lines := bytes.Split(bytes.TrimSpace(raw), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-15):], []byte("\n")))
}
