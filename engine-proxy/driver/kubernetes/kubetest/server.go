package kubetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"github.com/svc-games/svc/test/wait"
)

// Deadlines of the control plane, generous enough for a busy machine.
const (
	startTimeout = 3 * time.Minute
	stopTimeout  = 90 * time.Second
	pollEvery    = 20 * time.Millisecond
)

// server is a program of the control plane that can be ended and started
// again.
type server struct {
	args []string
	log  string // path
	cmd  *exec.Cmd
	done chan struct{}
}

// run starts the program. It ends with this process.
func (p *server) run() error {
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd, done := exec.Command(p.args[0], p.args[1:]...), make(chan struct{})
	cmd.Stdout, cmd.Stderr = log, log
	// The signal comes when the thread ends, so that is held.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // how it ended is in its log
			close(done)
		}
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("starting %s: %w", p.args[0], err)
	}
	p.cmd, p.done = cmd, done
	return nil
}

// end sends a signal and waits until the program has ended.
func (p *server) end(sig syscall.Signal) error {
	if p.cmd == nil {
		return nil // it never started
	}
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("ending %s: %w", p.args[0], err)
	}
	ctx, cancel := wait.Within(context.Background(), stopTimeout)
	defer cancel()
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s does not end:\n%s", p.args[0], p.tail())
	}
}

// answers waits until ok says so.
func (p *server) answers(ok func() error) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	ctx, cancel := wait.Within(context.Background(), startTimeout)
	defer cancel()
	for {
		err := ok()
		if err == nil {
			return nil
		}
		select {
		case <-p.done:
			return fmt.Errorf("%s ended:\n%s", p.args[0], p.tail())
		case <-ctx.Done():
			return fmt.Errorf("%s does not answer: %w\n%s", p.args[0], err, p.tail())
		case <-tick.C:
		}
	}
}

func (p *server) tail() string {
	raw, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	lines := bytes.Split(bytes.TrimSpace(raw), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-15):], []byte("\n")))
}
