package killpoint

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// notification is struct seccomp_notif.
type notification struct {
	id    uint64
	pid   uint32 // a thread's
	flags uint32
	data  struct {
		number  int32
		arch    uint32
		pointer uint64
		args    [6]uint64
	}
}

// reply is struct seccomp_notif_resp.
type reply struct {
	id    uint64
	value int64
	error int32
	flags uint32
}

// goOn lets a system call happen.
const goOn = 1 // SECCOMP_USER_NOTIF_FLAG_CONTINUE

// run answers until the program has ended. When we fail, the kernel refuses
// its system calls, which no test can miss.
func (w watch) run(listener int) {
	defer unix.Close(listener)
	for {
		fds := []unix.PollFd{{Fd: int32(listener), Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, -1); errors.Is(err, unix.EINTR) {
			continue
		} else if err != nil {
			return
		}
		if fds[0].Revents&unix.POLLIN == 0 {
			return
		}
		var n notification
		err := ioctl(listener, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n))
		if errors.Is(err, unix.EINTR) || errors.Is(err, unix.ENOENT) {
			continue // the thread is gone
		}
		if err != nil {
			return
		}
		if point, ok := w.point(n); ok && !w.decide(point) {
			_ = unix.Kill(processOf(n.pid), unix.SIGKILL) // a thread that waits for us has a process
			continue
		}
		v := reply{id: n.id, flags: goOn}
		if err := ioctl(listener, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&v)); err != nil && !errors.Is(err, unix.ENOENT) {
			return
		}
	}
}

func ioctl(fd int, request uintptr, arg unsafe.Pointer) error {
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(arg)); e != 0 {
		return e
	}
	return nil
}

// point names a system call, when it is about the folder.
func (w watch) point(n notification) (Point, bool) {
	call := changing[n.data.number]
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", n.pid, int32(n.data.args[call.fd])))
	if int32(n.data.args[call.fd]) == unix.AT_FDCWD {
		path, err = os.Readlink(fmt.Sprintf("/proc/%d/cwd", n.pid))
	}
	if err != nil {
		return Point{}, false
	}
	if call.path > 0 {
		name, err := text(n.pid, n.data.args[call.path])
		if err != nil {
			return Point{}, false
		}
		if filepath.IsAbs(name) {
			path = name
		} else {
			path = filepath.Join(path, name)
		}
	}
	rel, ok := w.within(path)
	return Point{call.name, rel}, ok
}

// text reads a path from a process's memory.
func text(pid uint32, address uint64) (string, error) {
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return "", err
	}
	defer mem.Close()
	raw := make([]byte, unix.PathMax)
	n, err := mem.ReadAt(raw, int64(address))
	if err != nil && !errors.Is(err, io.EOF) && n == 0 {
		return "", err
	}
	name, _, _ := bytes.Cut(raw[:n], []byte{0})
	return string(name), nil
}

// processOf returns the process of a thread.
func processOf(thread uint32) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", thread))
	if err != nil {
		return int(thread)
	}
	_, rest, _ := strings.Cut(string(status), "\nTgid:")
	line, _, _ := strings.Cut(rest, "\n")
	if pid, err := strconv.Atoi(strings.TrimSpace(line)); err == nil {
		return pid
	}
	return int(thread)
}
