// Package disk has the few file operations that survive a crash at any moment:
// a file that is replaced whole, a folder whose entries are durable, a volume
// that only one process holds.
package disk

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// ErrLocked is returned by Lock when another process holds the file.
var ErrLocked = errors.New("locked by another process")

// WriteFile makes data the content of the file at path. After a crash the file
// has its old or its new content, never a part; when WriteFile has returned
// nil it has the new one.
func WriteFile(path string, data []byte) error {
	return Replace(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Replace is WriteFile for content that write produces.
func Replace(path string, write func(io.Writer) error) error {
	temp := path + ".tmp"
	if err := Create(temp, write); err != nil {
		return errors.Join(err, Removed(os.Remove(temp)))
	}
	if err := os.Rename(temp, path); err != nil {
		return fmt.Errorf("replacing file: %w", err)
	}
	return SyncDir(filepath.Dir(path))
}

// Create writes a file and waits until its content, though not its name, is on
// disk. An existing file is overwritten in place.
func Create(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("creating file: %w", err)
	}
	buffered := bufio.NewWriter(f)
	if err = write(buffered); err == nil {
		err = buffered.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", filepath.Base(path), err)
	}
	return nil
}

// SyncDir waits until the names in a folder are on disk.
func SyncDir(dir string) error { return syncPath(dir) }

// syncPath waits until a file, or the names in a folder, are on disk.
func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("opening to sync: %w", err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("syncing %s: %w", filepath.Base(path), err)
	}
	return nil
}

// Lock takes the lock on the file at path, which it creates, or returns
// ErrLocked. Closing what it returns, or the end of the process, gives the
// lock up.
func Lock(path string) (io.Closer, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening lock: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		closeErr := f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errors.Join(ErrLocked, closeErr)
		}
		return nil, fmt.Errorf("locking: %w", errors.Join(err, closeErr))
	}
	return held{f}, nil
}

// held is a locked file.
type held struct{ f *os.File }

// Close gives the lock up at once. Closing the file alone would leave it to a
// program that is just being started, until that has become what it is to be:
// the next process would be refused the lock.
func (h held) Close() error {
	return errors.Join(syscall.Flock(int(h.f.Fd()), syscall.LOCK_UN), h.f.Close())
}

// Gone reports whether an error says that a file is not there, or can't be: a folder
// on its path is a file.
func Gone(err error) bool { return errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

// Removed returns the error of a removal, nil when there was nothing to remove.
func Removed(err error) error {
	if Gone(err) {
		return nil
	}
	return err
}
