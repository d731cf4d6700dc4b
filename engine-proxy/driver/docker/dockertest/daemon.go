// Package dockertest runs Docker daemons for tests: each with folders and a
// socket of its own, so that the machine's daemon, if there is one, and other
// tests' are not touched.
package dockertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/moby/moby/client"
	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/test/child"
	"github.com/svc-games/svc/test/need"
	"github.com/svc-games/svc/test/wait"
)

// stopTimeout is how long what belongs to a daemon may take to end.
const stopTimeout = 90 * time.Second

// Daemon is a running Docker daemon.
type Daemon struct {
	Host   string // unix:// and the path of its socket
	Dir    string // everything it keeps
	server child.Server
}

// Need skips the test where no daemon can be started, and fails it under
// CI=true.
func Need(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("dockerd"); err != nil {
		need.Missing(t, "dockerd is not installed; run make deps")
	}
	if os.Geteuid() != 0 {
		need.Missing(t, "only root can start dockerd")
	}
}

// Start starts a daemon with further arguments and stops it when the test ends.
func Start(t testing.TB, args ...string) *Daemon {
	t.Helper()
	Need(t)
	d, err := start(args...)
	if err != nil { // as in a container that may not run containers
		need.Missing(t, "%v", err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the daemon's last words:\n%s", d.server.Tail())
		}
		if err := d.close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func start(args ...string) (*Daemon, error) {
	// The path of containerd's socket is long, and must be short.
	dir, err := os.MkdirTemp("", "dk")
	if err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "daemon.json") // never that of the machine
	if err := os.WriteFile(config, []byte("{}"), 0o600); err != nil {
		return nil, err
	}
	d := &Daemon{Host: "unix://" + filepath.Join(dir, "d.sock"), Dir: dir, server: child.Server{
		Log:  filepath.Join(dir, "log"),
		Last: syscall.SIGTERM, // with which it stops its containers
		Args: append([]string{
			"dockerd", "--config-file", config, "--data-root", filepath.Join(dir, "data"), "--exec-root", filepath.Join(dir, "exec"),
			"--pidfile", filepath.Join(dir, "pid"), "--host", "unix://" + filepath.Join(dir, "d.sock"),
			// Engines have no network, so none is needed.
			"--bridge", "none", "--iptables=false", "--ip-forward=false", "--ip-masq=false",
		}, args...),
	}}
	if err := d.Run(); err != nil {
		return nil, errors.Join(err, d.Stop(), os.RemoveAll(dir))
	}
	return d, nil
}

// Run starts the daemon again after Stop or Kill, and returns when it answers.
func (d *Daemon) Run() error {
	if err := d.server.Start(); err != nil {
		return err
	}
	api, err := client.New(client.WithHost(d.Host))
	if err != nil {
		return err
	}
	defer api.Close()
	return d.server.Answers(func(ctx context.Context) error {
		_, err := api.Ping(ctx, client.PingOptions{})
		return err
	})
}

// OpenToAll lets every user of the machine use the daemon, as a member of the
// group docker may.
func (d *Daemon) OpenToAll(t testing.TB) {
	t.Helper()
	if err := errors.Join(os.Chmod(d.Dir, 0o711), os.Chmod(filepath.Join(d.Dir, "d.sock"), 0o666)); err != nil {
		t.Fatal(err)
	}
}

// Stop ends the daemon as a machine does that is shut down.
func (d *Daemon) Stop() error { return d.server.End(unix.SIGTERM) }

// Kill ends the daemon at once; its containers run on.
func (d *Daemon) Kill() error {
	raw, err := os.ReadFile(filepath.Join(d.Dir, "exec", "containerd", "containerd.pid"))
	if err != nil {
		return fmt.Errorf("looking for containerd: %w", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		return fmt.Errorf("looking for containerd: %w", err)
	}
	if err := d.server.End(unix.SIGKILL); err != nil {
		return err
	}
	// It goes with the daemon. The next one would wait for it in vain while
	// its process id is still taken.
	return gone(pid)
}

// gone waits until there is no such process.
func gone(pid int) error {
	err := wait.Poll(context.Background(), stopTimeout, func() bool { return errors.Is(unix.Kill(pid, 0), unix.ESRCH) })
	if err != nil {
		return fmt.Errorf("process %d does not end: %w", pid, err)
	}
	return nil
}

// close ends the daemon with its containers, and removes what it kept.
func (d *Daemon) close() error {
	err := errors.Join(d.removeAll(), d.Stop())
	// What a killed daemon has left mounted would keep its folder busy.
	mounts, readErr := os.ReadFile("/proc/self/mounts")
	err = errors.Join(err, readErr)
	lines := strings.Split(string(mounts), "\n")
	slices.Reverse(lines)
	for _, line := range lines {
		if fields := strings.Fields(line); len(fields) > 1 && strings.HasPrefix(fields[1], d.Dir+"/") {
			err = errors.Join(err, unix.Unmount(fields[1], unix.MNT_DETACH))
		}
	}
	return errors.Join(err, os.RemoveAll(d.Dir))
}

// removeAll ends all containers, of which a daemon that was killed, or
// restores them, would leave the processes.
func (d *Daemon) removeAll() error {
	if d.server.Ended() {
		if err := d.Run(); err != nil {
			return err
		}
	}
	api, err := client.New(client.WithHost(d.Host))
	if err != nil {
		return err
	}
	defer api.Close()
	ctx, cancel := wait.Within(context.Background(), stopTimeout)
	defer cancel()
	list, err := api.ContainerList(ctx, client.ContainerListOptions{All: true})
	if err != nil {
		return err
	}
	for _, c := range list.Items {
		_, removed := api.ContainerRemove(ctx, c.ID, client.ContainerRemoveOptions{Force: true})
		err = errors.Join(err, removed)
	}
	return err
}

// shared is the daemon of a package's tests.
var shared struct {
	once   sync.Once
	daemon *Daemon
	err    error
}

// Shared returns the one daemon of a package's tests, started when it is asked
// for the first time. The package's TestMain must be Main.
func Shared(t testing.TB) *Daemon {
	t.Helper()
	Need(t)
	shared.once.Do(func() { shared.daemon, shared.err = start() })
	if shared.err != nil {
		need.Missing(t, "%v", shared.err)
	}
	return shared.daemon
}

// Main runs a package's tests, ends the shared daemon, does what else is to be
// done after them and exits.
func Main(m *testing.M) {
	code := m.Run()
	if shared.daemon != nil {
		if err := shared.daemon.close(); err != nil {
			fmt.Fprintln(os.Stderr, "dockertest:", err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}
