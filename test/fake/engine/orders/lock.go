package orders

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Hold keeps a second engine from a volume until the process ends.
func Hold(volume string) error { return hold(filepath.Join(volume, engineLock)) }

// hold locks a file until the process ends, whatever way it does.
func hold(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return err
	}
	held = append(held, f)
	return unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, whole())
}

// held keeps the files of hold from being collected.
var held []*os.File

// whole is a lock of a whole file.
func whole() *unix.Flock_t { return &unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart} }

// EngineRuns reports whether an engine runs on volume.
func EngineRuns(volume string) (bool, error) { return locked(filepath.Join(volume, engineLock)) }

// ChildRuns reports whether a child of an engine runs on volume.
func ChildRuns(volume string) (bool, error) { return locked(filepath.Join(volume, childLock)) }

// locked asks for the lock without trying it: the one who is to hold it may be
// about to.
func locked(path string) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	lock := whole()
	if err := unix.FcntlFlock(f.Fd(), unix.F_OFD_GETLK, lock); err != nil {
		return false, fmt.Errorf("asking for a lock: %w", err)
	}
	return lock.Type != unix.F_UNLCK, nil
}
