// Package freeport finds addresses for the programs that a test starts.
//
// The port that a listener on port 0 gets is from the range that the system also
// gives to every other such listener and to outgoing connections: freed again for
// a program to take, it may be someone else's by then. The ports of this package
// lie below that range, and each is given out once: while the process runs that
// asked for it, no other test gets it, also when the program on it is killed and
// started again, or its clients go on asking.
package freeport

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
)

// The ports to choose from end where Linux's own range begins by default
// (net.ipv4.ip_local_port_range).
const (
	lowest = 20_000
	end    = 32_768
	tries  = 1_000
)

// Address returns an address of loopback that nobody listens on.
func Address(t testing.TB) string {
	t.Helper()
	return "127.0.0.1:" + Port(t)
}

// Port returns a port that nobody listens on.
func Port(t testing.TB) string {
	t.Helper()
	ports, err := Ports(1)
	if err != nil {
		t.Fatal(err)
	}
	return ports[0]
}

// Ports returns n ports, all different, that nobody listens on.
func Ports(n int) ([]string, error) { return ours.ports(n) }

// ours is what this process has. Runs of the tests side by side have folders of
// their own for temporary files, and the machine's ports in common.
var ours = &leases{
	dir:    fmt.Sprintf("/tmp/svc-ports-%d", os.Geteuid()),
	lowest: lowest, end: end,
}

// leases are ports that one process has and no other gets. A locked file stands
// for each; the system lets go of the locks when the process ends, however.
type leases struct {
	dir         string
	lowest, end int // the ports to choose from: lowest and above, below end

	mu   sync.Mutex // guards held
	held []*os.File
}

func (l *leases) ports(n int) ([]string, error) {
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return nil, fmt.Errorf("finding free ports: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var ports []string
	var last error
	for range tries {
		if len(ports) == n {
			return ports, nil
		}
		port := strconv.Itoa(l.lowest + rand.IntN(l.end-l.lowest))
		if last = l.lease(port); last == nil {
			ports = append(ports, port)
		}
	}
	return nil, fmt.Errorf("finding %d free ports: %w", n, last)
}

// lease takes a port unless someone has it.
func (l *leases) lease(port string) error {
	f, err := os.OpenFile(filepath.Join(l.dir, port), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return errors.Join(fmt.Errorf("port %s is another test's: %w", port, err), f.Close())
	}
	listener, err := net.Listen("tcp", ":"+port)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	if err := listener.Close(); err != nil {
		return errors.Join(err, f.Close())
	}
	l.held = append(l.held, f)
	return nil
}
