package orders

import (
	"flag"
	"fmt"
	"maps"
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

// Main runs the engine, or what it started, and ends the process. More is what it
// can try beside the probes of this package.
func Main(more map[string]func(arg string) error) {
	maps.Copy(probes, more)
	var err error
	switch role := os.Getenv(roleVariable); role {
	case roleChild:
		signal.Ignore(syscall.SIGTERM)
		if err = hold(os.Args[1]); err == nil {
			forever()
		}
	case roleSleeper:
		forever()
	default:
		err = run(os.Args[1:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "test engine:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// forever waits for a signal that ends the process.
func forever() {
	for {
		time.Sleep(time.Hour)
	}
}

type engine struct {
	volume, instance, tokenFile, socket, address string
	orders                                       Orders
}

func run(args []string) error {
	e := new(engine)
	flags := flag.NewFlagSet("testengine", flag.ContinueOnError)
	flags.StringVar(&e.volume, "volume", "", "")
	flags.StringVar(&e.instance, "instance", "", "")
	flags.StringVar(&e.tokenFile, "token-file", "", "")
	flags.StringVar(&e.socket, "socket", "", "")
	flags.StringVar(&e.address, "listen", "", "")
	for _, known := range []string{"project", "frameworks", "egress", "tls-cert", "tls-key", "tls-ca", "volume-bytes"} {
		_ = flags.String(known, "", "")
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM)
	if err := hold(filepath.Join(e.volume, engineLock)); err != nil {
		return fmt.Errorf("locking volume: %w", err)
	}
	if err := read(filepath.Join(e.volume, ordersFile), &e.orders); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("reading orders: %w", err)
	}
	if e.socket != "" || e.address != "" {
		if err := e.listen(); err != nil {
			return err
		}
	}
	if e.orders.Replace != "" {
		return syscall.Exec(e.orders.Replace, []string{e.orders.Replace}, os.Environ())
	}
	if err := e.report(); err != nil {
		return err
	}
	if err := e.work(); err != nil {
		return err
	}
	for range asked {
		if !e.orders.Deaf {
			break
		}
	}
	return os.WriteFile(filepath.Join(e.volume, stoppedFile), nil, 0o644)
}

// listen takes connections on its socket, or its address, and does nothing with
// them.
func (e *engine) listen() error {
	network, address := "tcp", e.address
	if e.socket != "" {
		network, address = "unix", e.socket
		if err := os.Remove(e.socket); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("removing old socket: %w", err)
		}
	}
	l, err := net.Listen(network, address)
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	go func() {
		for {
			if _, err := l.Accept(); err != nil {
				return
			}
		}
	}()
	return nil
}

// report looks at itself, tries what it was told to, and writes both down.
func (e *engine) report() error {
	token, err := os.ReadFile(e.tokenFile)
	if err != nil {
		return fmt.Errorf("reading token: %w", err)
	}
	r := report{Report: Report{
		InstanceID: e.instance, Args: os.Args, Environ: os.Environ(),
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
	for _, p := range e.orders.Probes {
		res := result{Probe: p}
		if err := p.try(); err != nil {
			res.Err = err.Error()
		}
		r.Results = append(r.Results, res)
	}
	if e.orders.Child {
		if err := e.child(roleChild); err != nil {
			return err
		}
	}
	if e.orders.Forks > 0 {
		reserveThreads()
	}
	for r.Forked < e.orders.Forks && e.child(roleSleeper) == nil {
		r.Forked++
	}
	return write(filepath.Join(e.volume, reportFile), r)
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
func (e *engine) child(role string) error {
	lock := filepath.Join(e.volume, childLock)
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
func (e *engine) work() error {
	if o := e.orders; o.Log > 0 {
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
	if e.orders.Memory > 0 {
		for !eating(e.volume) {
			time.Sleep(time.Millisecond)
		}
		taken := make([]byte, e.orders.Memory)
		for i := 0; i < len(taken); i += os.Getpagesize() {
			taken[i] = 1
		}
		if err := os.WriteFile(filepath.Join(e.volume, "took"), []byte(strconv.Itoa(len(taken))), 0o644); err != nil {
			return err
		}
	}
	if e.orders.Write > 0 {
		if err := e.fill(); err != nil {
			return err
		}
	}
	if e.orders.Signal != 0 {
		if err := syscall.Kill(os.Getpid(), syscall.Signal(e.orders.Signal)); err != nil {
			return err
		}
		forever()
	}
	if e.orders.Exit != nil {
		os.Exit(*e.orders.Exit)
	}
	return nil
}

func (e *engine) fill() error {
	f, err := os.Create(filepath.Join(e.volume, "filled"))
	if err != nil {
		return err
	}
	defer f.Close()
	block := make([]byte, 1<<20)
	for written := int64(0); written < e.orders.Write; {
		n, err := f.Write(block)
		if err != nil {
			return fmt.Errorf("after %d bytes: %w", written, err)
		}
		written += int64(n)
	}
	return nil
}
