package killpoint

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// env names the descriptor by which a process hands its listener over.
const env = "SVC_KILLPOINT"

// changing are the system calls that change a folder: by name, and where in
// their arguments the file is.
var changing = map[int32]struct {
	name string
	fd   int // argument with a descriptor: the file's, or its folder's
	path int // argument with a path, 0 for none
}{
	unix.SYS_PWRITE64:  {"pwrite64", 0, 0},
	unix.SYS_FTRUNCATE: {"ftruncate", 0, 0},
	unix.SYS_FSYNC:     {"fsync", 0, 0},
	unix.SYS_FDATASYNC: {"fdatasync", 0, 0},
	unix.SYS_OPENAT:    {"create", 0, 1},
	unix.SYS_MKDIRAT:   {"mkdirat", 0, 1},
	unix.SYS_UNLINKAT:  {"unlinkat", 0, 1},
	unix.SYS_RENAMEAT:  {"renameat", 2, 3},
	unix.SYS_RENAMEAT2: {"renameat2", 2, 3},
}

// MainIfAsked turns the process into the program that it was started for, if
// it was. It is to be called first in TestMain.
func MainIfAsked() {
	fd, err := strconv.Atoi(os.Getenv(env))
	if err != nil {
		return
	}
	fmt.Fprintln(os.Stderr, "killpoint:", become(fd, os.Args[1:]))
	os.Exit(1)
}

// become hands the listener of its own filter to the socket fd and runs the
// program in place of this one. It returns only when that fails.
func become(fd int, args []string) error {
	runtime.LockOSThread() // a filter is a thread's, and exec takes it along
	program, err := exec.LookPath(args[0])
	if err != nil {
		return err
	}
	var environ []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, env+"=") {
			environ = append(environ, v)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("giving up privileges: %w", err)
	}
	code := filter()
	prog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	listener, _, e := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, uintptr(unsafe.Pointer(&prog)))
	if e != 0 {
		return fmt.Errorf("loading the filter: %w", e)
	}
	if err := unix.Sendmsg(fd, []byte{0}, unix.UnixRights(int(listener)), nil, 0); err != nil {
		return fmt.Errorf("handing over: %w", err)
	}
	unix.CloseOnExec(int(listener))
	unix.CloseOnExec(fd)
	return syscall.Exec(program, args, environ)
}

// Offsets in struct seccomp_data; the lower half of an argument comes first on
// the machines that we know.
const (
	offsetNumber = 0
	offsetFlags  = 16 + 2*8 // of openat
)

// filter asks about the system calls of changing, of openat only with O_CREAT.
func filter() []unix.SockFilter {
	const load, equal, anyOf, answer = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K,
		unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, unix.BPF_RET | unix.BPF_K
	p := []unix.SockFilter{{Code: load, K: offsetNumber}}
	for number := range changing {
		if number == unix.SYS_OPENAT {
			continue
		}
		p = append(p, unix.SockFilter{Code: equal, Jf: 1, K: uint32(number)}, unix.SockFilter{Code: answer, K: unix.SECCOMP_RET_USER_NOTIF})
	}
	return append(p,
		unix.SockFilter{Code: equal, Jf: 3, K: unix.SYS_OPENAT},
		unix.SockFilter{Code: load, K: offsetFlags},
		unix.SockFilter{Code: anyOf, Jf: 1, K: unix.O_CREAT},
		unix.SockFilter{Code: answer, K: unix.SECCOMP_RET_USER_NOTIF},
		unix.SockFilter{Code: answer, K: unix.SECCOMP_RET_ALLOW})
}
