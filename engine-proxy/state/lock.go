package state

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/peer"
)

// LockPath is the file that an engine proxy holds locked while it works on a
// data directory.
func LockPath(dataDir string) string { return filepath.Join(dataDir, "run", "lock") }

// Lock takes the lock at a path, which the kernel frees however this process
// ends. The error is peer.ErrInUse when another process has it.
func Lock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening engine proxy lock: %w", err)
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = fmt.Errorf("another engine proxy works on the data directory: it is %w", peer.ErrInUse)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("locking the data directory: %w", err), f.Close())
	}
	return f, nil
}

// Unlock gives the lock back at once. Closing alone would leave it to a
// program that is just being started, until that has become what it is to be:
// whoever opens the data directory next in this process would be refused.
func Unlock(f *os.File) error {
	return errors.Join(unix.Flock(int(f.Fd()), unix.LOCK_UN), f.Close())
}
