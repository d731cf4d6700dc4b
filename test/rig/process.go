package rig

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/svc-games/svc/test/child"
	"github.com/svc-games/svc/test/wait"
)

// Process is a program that can be started again and again.
type Process struct {
	Args []string // the program and its arguments
	Dir  string
	Env  []string // beside those of this process

	log Log

	mu      sync.Mutex // guards the following fields
	cmd     *exec.Cmd  // nil while it does not run
	exited  chan struct{}
	started time.Time
}

// Log collects what a process says, while a test reads it.
type Log = child.Log

// Log returns what the process said, over all its lives.
func (p *Process) Log() string { return p.log.String() }

// Start starts the process. It is killed when this one ends.
func (p *Process) Start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil {
		return errors.New("the process runs already")
	}
	return p.start()
}

// TakeOver starts the program once more, with a further argument, beside the one that runs,
// and waits until that has ended by itself.
func (p *Process) TakeOver(argument string) error {
	p.mu.Lock()
	former, args := p.exited, p.Args
	p.Args = append(slices.Clone(args), argument)
	err := p.start()
	p.Args = args
	p.mu.Unlock()
	if err != nil {
		return err
	}
	ctx, cancel := wait.Within(context.Background(), wait.Patience)
	defer cancel()
	select {
	case <-former:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the former %s did not end: %w", p.Args[0], context.Cause(ctx))
	}
}

// start starts the program; the caller has locked.
func (p *Process) start() error {
	cmd := exec.Command(p.Args[0], p.Args[1:]...)
	cmd.Dir, cmd.Env = p.Dir, append(os.Environ(), p.Env...)
	cmd.Stdout, cmd.Stderr = &p.log, &p.log
	if err := child.Start(cmd); err != nil {
		return fmt.Errorf("starting %s: %w", p.Args[0], err)
	}
	p.cmd, p.exited, p.started = cmd, make(chan struct{}), time.Now()
	go func(exited chan struct{}) {
		_ = cmd.Wait() // how it ended, ProcessState says
		p.mu.Lock()
		if p.cmd == cmd { // else another one took over
			p.cmd = nil
		}
		p.mu.Unlock()
		close(exited)
	}(p.exited)
	return nil
}

// Signal signals the process and waits for its end. It does nothing for one
// that does not run.
func (p *Process) Signal(sig os.Signal) error {
	p.mu.Lock()
	cmd, exited := p.cmd, p.exited
	p.mu.Unlock()
	if cmd == nil {
		return nil
	}
	if err := cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("signalling %s: %w", p.Args[0], err)
	}
	ctx, cancel := wait.Within(context.Background(), wait.Patience) // at the test's end as well
	defer cancel()
	select {
	case <-exited:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s did not end by %s: %w", p.Args[0], sig, context.Cause(ctx))
	}
}

// Kill ends the process with SIGKILL.
func (p *Process) Kill() error { return p.Signal(syscall.SIGKILL) }

// Stop asks the process to end.
func (p *Process) Stop() error { return p.Signal(os.Interrupt) }

// Exited returns a channel that is closed when the process ends that was started
// last.
func (p *Process) Exited() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exited
}

// PID returns the process's id, 0 while it does not run.
func (p *Process) PID() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return 0
	}
	return p.cmd.Process.Pid
}
