package peer

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// MaxSocketPath is how many bytes the path of a Unix socket may have on Linux, its
// closing zero byte not counted.
const MaxSocketPath = 107

// ErrInUse is returned, wrapped, for a socket that somebody listens on.
var ErrInUse = errors.New("in use by another process")

// socket is a listening Unix socket that can be handed over: whoever listens
// next puts its own socket in its place by one rename, so that at no moment
// nobody listens there.
type socket struct {
	net.Listener
	path string
	file fs.FileInfo // of our socket; another one at path is a successor's
}

// listenUnix makes a socket that its owner alone may use. One that a dead
// process left is replaced, one that somebody listens on only with takeOver.
func listenUnix(path string, takeOver bool) (*socket, error) {
	if err := checkSocket(path, takeOver); err != nil {
		return nil, err
	}
	// The socket gets its mode before it gets its name.
	hidden := filepath.Join(filepath.Dir(path), "."+rand.Text()[:hiddenLength-1])
	l, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: hidden})
	if err != nil {
		return nil, fmt.Errorf("making the socket %s: %w", path, err)
	}
	// Closing must not remove a successor's socket.
	l.SetUnlinkOnClose(false)
	s := &socket{Listener: l, path: path}
	if err := s.publish(hidden); err != nil {
		return nil, errors.Join(fmt.Errorf("making the socket %s: %w", path, err), l.Close(), os.Remove(hidden))
	}
	return s, nil
}

// publish gives the hidden socket its name.
func (s *socket) publish(hidden string) (err error) {
	if err := os.Chmod(hidden, 0o600); err != nil {
		return err
	}
	if s.file, err = os.Lstat(hidden); err != nil {
		return err
	}
	return locked(filepath.Dir(s.path), func() error { return os.Rename(hidden, s.path) })
}

// replaced reports whether the socket at our path is not ours any more.
func (s *socket) replaced() bool {
	now, err := os.Lstat(s.path)
	return err == nil && !os.SameFile(now, s.file)
}

// remove takes the socket away, unless a successor has put its own there.
func (s *socket) remove() error {
	return locked(filepath.Dir(s.path), func() error {
		if _, err := os.Lstat(s.path); errors.Is(err, fs.ErrNotExist) || s.replaced() {
			return nil
		}
		return os.Remove(s.path)
	})
}

// hiddenLength is how many bytes the name has under which a socket is made.
const hiddenLength = 7

// checkSocket says why listenUnix could not make a socket at path.
func checkSocket(path string, takeOver bool) error {
	if longest := max(len(path), len(filepath.Dir(path))+1+hiddenLength); longest > MaxSocketPath {
		return fmt.Errorf("the path %s has %d bytes; a Unix socket's may have %d: use a shorter directory",
			path, longest, MaxSocketPath)
	}
	return checkFree(path, takeOver)
}

// checkFree says why no socket may be made at path.
func checkFree(path string, takeOver bool) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("%s exists and is not a socket: move it away", path)
	}
	if owner := info.Sys().(*syscall.Stat_t).Uid; int(owner) != os.Geteuid() && os.Geteuid() != 0 {
		return fmt.Errorf("the socket %s belongs to user %d: run as that user, or use another path", path, owner)
	}
	if takeOver {
		return nil
	}
	c, err := net.Dial("unix", path)
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("asking who listens on %s: %w", path, err)
	}
	return errors.Join(
		fmt.Errorf("%s is %w: stop the service that runs on this directory, or use another directory", path, ErrInUse),
		c.Close())
}

// locked runs do while no other process changes the sockets of the directory.
func locked(dir string, do func() error) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close() // which gives the lock back
	if err := unix.Flock(int(d.Fd()), unix.LOCK_EX); err != nil {
		return fmt.Errorf("locking %s: %w", dir, err)
	}
	return do()
}
