// Package killpoint starts a program that stops before each system call that
// changes a folder, so that a test can kill it there. The program needs no
// preparation, and can't know.
//
// The kernel asks by way of seccomp: a process installs a filter on itself and
// becomes the program. That process is the test binary under another name, so
// TestMain must call MainIfAsked.
package killpoint

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// A Point is a system call that is about to change the folder.
type Point struct {
	Call string // such as renameat
	Path string // within the folder, slash-separated; of a rename the new name
}

// watch answers the system calls of a program.
type watch struct {
	dir    string
	decide func(Point) bool
}

// Command makes cmd, which must not be started yet, a program that stops at
// each point within dir. decide is called there, one call at a time; when it
// returns false the program is killed before it does what it was about to.
// attach is to be called after cmd was started.
func Command(cmd *exec.Cmd, dir string, decide func(Point) bool) (attach func() error, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding the test binary: %w", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, fmt.Errorf("resolving the folder: %w", err)
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("making the socket: %w", err)
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "watch"), os.NewFile(uintptr(pair[1]), "watched")
	cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%d", env, 3+len(cmd.ExtraFiles)))
	cmd.ExtraFiles = append(cmd.ExtraFiles, theirs)
	cmd.Args = append([]string{self, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = self
	return func() error {
		defer ours.Close()
		if err := theirs.Close(); err != nil {
			return err
		}
		listener, err := receive(ours)
		if err != nil {
			return fmt.Errorf("taking over the program's system calls: %w", err)
		}
		w := watch{dir: dir, decide: decide}
		go w.run(listener)
		return nil
	}, nil
}

// receive takes the descriptor that the program-to-be sends.
func receive(from *os.File) (int, error) {
	c, err := net.FileConn(from)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	control := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := c.(*net.UnixConn).ReadMsgUnix(make([]byte, 1), control)
	if err != nil {
		return 0, err
	}
	messages, err := unix.ParseSocketControlMessage(control[:n])
	if err != nil {
		return 0, err
	}
	if len(messages) != 1 {
		return 0, errors.New("the program could not be watched; TestMain must call MainIfAsked")
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return 0, err
	}
	return fds[0], nil
}

// within returns the path of a file in the folder, or false.
func (w watch) within(path string) (string, bool) {
	path = strings.TrimSuffix(path, " (deleted)")
	rel, err := filepath.Rel(w.dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
