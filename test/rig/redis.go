package rig

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/need"
	"github.com/svc-games/svc/test/wait"
)

// Redis is a real server on a Unix socket, without persistence.
type Redis struct {
	URL string

	t       testing.TB
	socket  string
	process Process
}

// StartRedis starts a server, which is stopped at the end of the test. The test is
// skipped where redis-server is missing, or fails when CI is true.
func StartRedis(t testing.TB) *Redis {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		need.Missing(t, "redis-server is missing: install the package redis-server")
	}
	dir := keep.Dir(t)
	r := &Redis{t: t, socket: filepath.Join(dir, "r.sock")}
	r.URL = "unix://" + r.socket
	r.process.Args = []string{path, "--port", "0", "--unixsocket", r.socket, "--save", "", "--appendonly", "no", "--dir", dir}
	t.Cleanup(r.Stop)
	r.Start()
	return r
}

// Start starts the server that Stop stopped, and waits until it listens.
func (r *Redis) Start() {
	r.t.Helper()
	if err := r.process.Start(); err != nil {
		r.t.Fatal(err)
	}
	wait.Until(r.t, "redis-server listens", func() bool {
		c, err := net.Dial("unix", r.socket)
		if err != nil {
			return false
		}
		return c.Close() == nil
	})
}

// Hang has the server stand still, with all its connections open, until Wake.
func (r *Redis) Hang() { r.signal(syscall.SIGSTOP) }

// Wake has the server go on after Hang.
func (r *Redis) Wake() { r.signal(syscall.SIGCONT) }

func (r *Redis) signal(sig syscall.Signal) {
	if err := syscall.Kill(r.process.PID(), sig); err != nil {
		r.t.Error(err)
	}
}

// Stop kills the server: its clients see a broken connection.
func (r *Redis) Stop() {
	if err := r.process.Kill(); err != nil {
		r.t.Error(err)
	}
	if err := os.Remove(r.socket); err != nil && !os.IsNotExist(err) {
		r.t.Error(err)
	}
}
