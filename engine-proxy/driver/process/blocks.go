package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/engine-proxy/driver/process/procfs"
)

// blockLeases are the default ranges of users that one process has and no other
// of this machine takes. A locked file stands for each; the system lets go of
// the locks when the process ends, however.
type blockLeases struct {
	dir string

	mu   sync.Mutex // guards held
	held map[int]*os.File
}

// ourBlocks is what this process has.
var ourBlocks = &blockLeases{dir: "/run/svc-users"}

// take returns a range that nobody on this machine has: wanted, or one above it.
// Engines outlive the process that started them, and so keep a range as well.
// Where there is no folder for leases it is wanted, whoever has that.
func (l *blockLeases) take(wanted Users) Users {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range blocks {
		u := block(firstBlock + (wanted.First-firstBlock+i*blockSize)%(blocks*blockSize))
		f, err := l.lockLocked(u)
		if errors.Is(err, unix.EWOULDBLOCK) {
			continue
		}
		if err != nil {
			break
		}
		if inhabited(u) {
			_ = f.Close() // which gives the lock back
			continue
		}
		l.held[u.First] = f
		return u
	}
	return wanted
}

// hold keeps a range that an installation has from others, unless an engine
// proxy of the same installation still does.
func (l *blockLeases) hold(u Users) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f, err := l.lockLocked(u); err == nil {
		l.held[u.First] = f
	}
}

// lockLocked fails with EWOULDBLOCK for a range that someone has.
func (l *blockLeases) lockLocked(u Users) (*os.File, error) {
	if l.held == nil {
		l.held = make(map[int]*os.File)
	}
	if l.held[u.First] != nil {
		return nil, unix.EWOULDBLOCK
	}
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return nil, fmt.Errorf("leasing users: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(l.dir, strconv.Itoa(u.First)), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("leasing users: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("leasing users: %w", err), f.Close())
	}
	return f, nil
}

// inhabited reports whether a process runs as a user of the range.
func inhabited(u Users) bool {
	pids, err := procfs.Processes()
	if err != nil {
		return false
	}
	for _, pid := range pids {
		if uid, err := procfs.Owner(pid); err == nil && uid >= u.First && uid <= u.Last {
			return true
		}
	}
	return false
}
