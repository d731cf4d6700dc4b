package store

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// ErrInUse is returned, wrapped, for a SQLite store that another process has open, or
// keeps from being opened.
var ErrInUse = errors.New("another process works on the database")

// lockSuffix is added to the name of a SQLite store for the file by whose lock it is kept.
const lockSuffix = ".lock"

// Seize keeps everybody from opening a SQLite store until release is called or this
// process ends. It returns ErrInUse, wrapped, where somebody has it open, and ErrMoved for
// one that was set aside.
func Seize(path string) (release func() error, err error) {
	if err := find(path); err != nil {
		return nil, fmt.Errorf("locking the store: %w", err)
	}
	f, err := lockFile(path, unix.LOCK_EX)
	if err != nil {
		return nil, err
	}
	return func() error { return unlockFile(f) }, nil
}

// lockFile takes the lock of a SQLite store, which the kernel frees however this process
// ends: with unix.LOCK_SH beside others who do so, with unix.LOCK_EX alone.
func lockFile(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path+lockSuffix, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("locking the store: %w", err)
	}
	err = unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = ErrInUse
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("locking %s: %w", path, err), f.Close())
	}
	return f, nil
}

// unlockFile gives the lock back at once. Closing alone would leave it to a program that
// is just being started, until that has become what it is to be.
func unlockFile(f *os.File) error {
	return errors.Join(unix.Flock(int(f.Fd()), unix.LOCK_UN), f.Close())
}
