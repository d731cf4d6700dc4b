package orders

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// roleVariable says which part of the engine a process is; "" the engine
// itself.
const roleVariable = "SVC_TEST_ENGINE_ROLE"

// The other roles.
const (
	roleChild   = "child"   // holds childLock
	roleSleeper = "sleeper" // does nothing
)

// MainIfChild is the whole life of a process that an engine has started by its
// orders, and does nothing in any other.
func MainIfChild() {
	switch os.Getenv(roleVariable) {
	case roleChild:
		signal.Ignore(syscall.SIGTERM)
		if err := hold(os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, "child of the fake engine:", err)
			os.Exit(1)
		}
		forever()
	case roleSleeper:
		forever()
	}
}

// forever waits for a signal that ends the process.
func forever() {
	for {
		time.Sleep(time.Hour)
	}
}

// Engine is what an engine is told when it starts.
type Engine struct {
	Volume, InstanceID, TokenFile string
	// More is what it can try beside the probes of this package.
	More map[string]func(arg string) error
}

// Obey does what the orders say, in the order of their fields, until the process is
// asked to end. It takes connections, and does nothing with them.
func (e Engine) Obey(o Orders, l net.Listener) error {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM)
	go func() {
		for {
			if _, err := l.Accept(); err != nil {
				return
			}
		}
	}()
	if o.Replace != "" {
		return syscall.Exec(o.Replace, []string{o.Replace}, os.Environ())
	}
	if err := e.report(o); err != nil {
		return err
	}
	if err := e.work(o); err != nil {
		return err
	}
	for range asked {
		if !o.Deaf {
			break
		}
	}
	return os.WriteFile(filepath.Join(e.Volume, stoppedFile), nil, 0o644)
}

// report looks at itself, tries what it was told to, and writes both down.
func (e Engine) report(o Orders) error {
	token, err := os.ReadFile(e.TokenFile)
	if err != nil {
		return fmt.Errorf("reading token: %w", err)
	}
	r := report{Report: Report{
		InstanceID: e.InstanceID, Args: os.Args, Environ: os.Environ(),
		UID: os.Getuid(), GID: os.Getgid(), Token: string(token), Status: status(),
	}}
	if r.Groups, err = os.Getgroups(); err != nil {
		return err
	}
	if r.Dir, err = os.Getwd(); err != nil {
		return err
	}
	if r.Blocked, err = blocked(); err != nil {
		return err
	}
	var files, core unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err != nil {
		return err
	}
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &core); err != nil {
		return err
	}
	r.Files, r.Core = files.Max, core.Max
	for _, p := range o.Probes {
		res := result{Probe: p}
		if err := p.try(e.More); err != nil {
			res.Err = err.Error()
		}
		r.Results = append(r.Results, res)
	}
	if o.Child {
		if err := e.child(roleChild); err != nil {
			return err
		}
	}
	if o.Forks > 0 {
		reserveThreads()
	}
	for r.Forked < o.Forks && e.child(roleSleeper) == nil {
		r.Forked++
	}
	return write(filepath.Join(e.Volume, reportFile), r)
}

// reserveThreads makes threads that the runtime finds idle afterwards. One that it
// needs and can't make, once there are as many processes as there may be, would
// end the engine instead of the attempt.
func reserveThreads() {
	const enough = 16
	var made, all sync.WaitGroup
	made.Add(enough)
	for range enough {
		all.Go(func() {
			runtime.LockOSThread() // so that none serves two of them
			defer runtime.UnlockOSThread()
			made.Done()
			made.Wait()
		})
	}
	all.Wait()
}

// child starts a process that leaves the engine's session, as one does that
// does not want to be found. It returns once that holds its lock.
func (e Engine) child(role string) error {
	lock := filepath.Join(e.Volume, childLock)
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0] // no /proc in reach
	}
	cmd := exec.Command(self, lock)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting child: %w", err)
	}
	for role == roleChild {
		switch runs, err := locked(lock); {
		case err != nil:
			return err
		case runs:
			return nil
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

// work does what the orders say after the report.
func (e Engine) work(o Orders) error {
	if o.Log > 0 {
		line := strings.Repeat("x", 99) + "\n"
		for written := int64(0); written < o.Log; written += int64(len(line)) {
			if _, err := os.Stdout.WriteString(line); err != nil {
				return err
			}
		}
		if _, err := os.Stdout.WriteString(LogEnd + "\n"); err != nil {
			return err
		}
	}
	if o.Memory > 0 {
		for !eating(e.Volume) {
			time.Sleep(time.Millisecond)
		}
		taken := make([]byte, o.Memory)
		for i := 0; i < len(taken); i += os.Getpagesize() {
			taken[i] = 1
		}
		if err := os.WriteFile(filepath.Join(e.Volume, "took"), []byte(strconv.Itoa(len(taken))), 0o644); err != nil {
			return err
		}
	}
	if o.Write > 0 {
		if err := e.fill(o.Write); err != nil {
			return err
		}
	}
	if o.Signal != 0 {
		if err := syscall.Kill(os.Getpid(), syscall.Signal(o.Signal)); err != nil {
			return err
		}
		forever()
	}
	if o.Exit != nil {
		os.Exit(*o.Exit)
	}
	return nil
}

func (e Engine) fill(size int64) error {
	f, err := os.Create(filepath.Join(e.Volume, "filled"))
	if err != nil {
		return err
	}
	defer f.Close()
	block := make([]byte, 1<<20)
	for written := int64(0); written < size; {
		n, err := f.Write(block)
		if err != nil {
			return fmt.Errorf("after %d bytes: %w", written, err)
		}
		written += int64(n)
	}
	return nil
}
