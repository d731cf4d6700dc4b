package shim

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/engine-proxy/driver/process/procfs"
)

// A guard answers what the kernel asks about an engine: its attempts to connect,
// and the system calls that are not listed. Landlock does not look at connects,
// and a filter of system calls can't see where they lead: so we connect in the
// engine's place, to one socket alone.
type guard struct {
	listener int
	procs    int              // the directory in which the kernel tells of the processes that ask
	socket   string           // the one that the engine may connect to, "" for none
	unlisted func(number int) // is told of each attempt to use what is not listed
	refused  int              // how many of these there were
}

// An engine that tries what is not listed again and again waits: it would take
// our time, which is not counted as its own.
const (
	refusedAtOnce = 1000
	refusedPause  = time.Millisecond
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

// verdict is struct seccomp_notif_resp.
type verdict struct {
	id    uint64
	value int64
	error int32
	flags uint32
}

// run answers until the last process that can ask has ended.
func (g *guard) run() error {
	defer unix.Close(g.listener)
	defer unix.Close(g.procs)
	for {
		fds := []unix.PollFd{{Fd: int32(g.listener), Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, -1); err != nil {
			if errors.Is(err, unix.EINTR) {
				continue
			}
			return fmt.Errorf("awaiting questions: %w", err)
		}
		if fds[0].Revents&unix.POLLIN == 0 {
			return nil
		}
		var n notification
		err := g.ioctl(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n))
		if errors.Is(err, unix.EINTR) || errors.Is(err, unix.ENOENT) {
			continue // it was killed meanwhile
		}
		if err != nil {
			return fmt.Errorf("receiving question: %w", err)
		}
		v := verdict{id: n.id}
		if err := g.answer(n); err != nil {
			v.error = -int32(unix.EACCES)
			if errno := unix.Errno(0); errors.As(err, &errno) {
				v.error = -int32(errno)
			}
		}
		if err := g.ioctl(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&v)); err != nil && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("answering question: %w", err)
		}
	}
}

// answer does what the engine may do, and returns why it may not.
func (g *guard) answer(n notification) error {
	switch {
	case n.data.number != unix.SYS_CONNECT:
		if g.refused++; g.refused > refusedAtOnce {
			time.Sleep(refusedPause)
		}
		g.unlisted(int(n.data.number))
		return unix.ENOSYS
	case g.socket == "":
		return unix.EACCES
	default:
		return g.connect(n)
	}
}

func (g *guard) ioctl(request uintptr, arg unsafe.Pointer) error {
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(g.listener), request, uintptr(arg)); e != 0 {
		return e
	}
	return nil
}

// connect connects the engine's socket, when it asks for the right one. What
// the engine changes after it was looked at makes no difference.
func (g *guard) connect(n notification) error {
	address, err := g.address(n)
	if err != nil {
		return err
	}
	if address != g.socket {
		return unix.EACCES
	}
	fd, err := g.descriptor(n)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	// The engine may put a link to another socket in this one's place.
	target, err := unix.Open(g.socket, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(target)
	var st unix.Stat_t
	if err := unix.Fstat(target, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return unix.EACCES
	}
	return unix.Connect(fd, &unix.SockaddrUnix{Name: "/proc/self/fd/" + strconv.Itoa(target)})
}

// Bounds of the address of a Unix socket with a path.
const (
	minAddress = 3
	maxAddress = 110
)

// address reads the path that the engine wants to connect to.
func (g *guard) address(n notification) (string, error) {
	size := n.data.args[2]
	if size < minAddress || size > maxAddress {
		return "", unix.EACCES
	}
	mem, err := g.open(n, "mem")
	if err != nil {
		return "", err
	}
	defer mem.Close()
	raw := make([]byte, size)
	if _, err := mem.ReadAt(raw, int64(n.data.args[1])); err != nil {
		return "", unix.EFAULT
	}
	if err := g.valid(n); err != nil {
		return "", err
	}
	if binary.NativeEndian.Uint16(raw) != unix.AF_UNIX {
		return "", unix.EAFNOSUPPORT
	}
	path, _, _ := bytes.Cut(raw[2:], []byte{0})
	return string(path), nil
}

// descriptor returns the engine's socket as one of ours.
func (g *guard) descriptor(n notification) (int, error) {
	f, err := g.open(n, "status")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	status, err := io.ReadAll(f)
	if err != nil {
		return 0, err
	}
	process, err := procfs.Number(status, "Tgid")
	if err != nil {
		return 0, err
	}
	pidfd, err := unix.PidfdOpen(process, 0)
	if err != nil {
		return 0, err
	}
	defer unix.Close(pidfd)
	if err := g.valid(n); err != nil {
		return 0, err
	}
	return unix.PidfdGetfd(pidfd, int(int32(n.data.args[0])), 0)
}

// open opens a file about the thread that asks.
func (g *guard) open(n notification, name string) (*os.File, error) {
	fd, err := unix.Openat(g.procs, fmt.Sprintf("%d/%s", n.pid, name), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

// valid fails when the thread that asked is gone, and its id maybe another's.
func (g *guard) valid(n notification) error {
	return g.ioctl(unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&n.id))
}

// handOver gives the guard's listener to the shim; -1 if there is none.
func handOver(to, listener int) error {
	var rights []byte
	if listener >= 0 {
		rights = unix.UnixRights(listener)
	}
	if err := unix.Sendmsg(to, []byte{0}, rights, nil, 0); err != nil {
		return fmt.Errorf("handing over questions: %w", err)
	}
	return nil
}

// takeOver receives it.
func takeOver(from int) (int, error) {
	control := make([]byte, unix.CmsgSpace(4))
	_, got, _, _, err := unix.Recvmsg(from, make([]byte, 1), control, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return 0, fmt.Errorf("taking over questions: %w", err)
	}
	messages, err := unix.ParseSocketControlMessage(control[:got])
	if err == nil && len(messages) == 0 {
		return -1, nil
	}
	var fds []int
	if err == nil && len(messages) == 1 {
		fds, err = unix.ParseUnixRights(&messages[0])
	}
	if err != nil || len(fds) != 1 {
		return 0, errors.Join(errors.New("taking over questions: no descriptor came"), err)
	}
	return fds[0], nil
}
