package confine

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// forbidden are the system calls that a program of ours never needs and that
// have led out of sandboxes, or look into other processes.
var forbidden = []uint32{
	unix.SYS_ADD_KEY, unix.SYS_BPF, unix.SYS_DELETE_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT,
	unix.SYS_FSOPEN, unix.SYS_FSPICK, unix.SYS_INIT_MODULE, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_IO_URING_SETUP, unix.SYS_KCMP, unix.SYS_KEXEC_LOAD, unix.SYS_KEYCTL, unix.SYS_MOUNT, unix.SYS_MOUNT_SETATTR,
	unix.SYS_MOVE_MOUNT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_OPEN_TREE,
	unix.SYS_PERF_EVENT_OPEN, unix.SYS_PIDFD_GETFD, unix.SYS_PIVOT_ROOT, unix.SYS_PROCESS_VM_READV,
	unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PTRACE, unix.SYS_REBOOT, unix.SYS_REQUEST_KEY, unix.SYS_SETNS, unix.SYS_SWAPOFF,
	unix.SYS_SWAPON, unix.SYS_UMOUNT2, unix.SYS_UNSHARE, unix.SYS_USERFAULTFD,
}

// onAttributes change attributes of a file by its name.
var onAttributes = []uint32{unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR}

// onModes change the mode of a file by its name.
var onModes = append([]uint32{unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2}, oldOnModes...)

// onProcess change what the process named by their first argument may use; 0
// is the caller.
var onProcess = []uint32{
	unix.SYS_PRLIMIT64, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETATTR, unix.SYS_SCHED_SETPARAM,
	unix.SYS_SCHED_SETSCHEDULER, unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES,
}

// onPriority change priorities, of whole users as well.
var onPriority = []uint32{unix.SYS_SETPRIORITY, unix.SYS_IOPRIO_SET}

// newNamespaces are the flags of clone that make namespaces.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// Offsets in struct seccomp_data. Arguments are 64 bits wide; on the machines
// that we know the lower half comes first.
const (
	offsetNumber = 0
	offsetArch   = 4
	offsetArg0   = 16
)

// x32Bit marks system calls of another convention on x86-64.
const x32Bit = 0x40000000

func seccompAvailable() bool {
	if auditArch == 0 {
		return false
	}
	// An action that is known means that filters are.
	action := uint32(unix.SECCOMP_RET_ERRNO)
	const getActionAvail = 2 // SECCOMP_GET_ACTION_AVAIL
	_, _, e := unix.Syscall(unix.SYS_SECCOMP, getActionAvail, 0, uintptr(unsafe.Pointer(&action)))
	return e == 0
}

// filterSyscalls forbids the calling thread what is in forbidden, namespaces,
// and what the options say. Where there is no filter for the machine nothing
// is done: Look tells.
func filterSyscalls(o Options) (listener int, err error) {
	if !seccompAvailable() {
		return -1, nil
	}
	program := filter(o)
	fprog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	flags := uintptr(0)
	if o.AskToConnect {
		flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER
	}
	fd, _, e := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&fprog)))
	if e != 0 {
		return -1, fmt.Errorf("loading filter: %w", e)
	}
	if !o.AskToConnect {
		return -1, nil
	}
	return int(fd), nil
}

// filter is the program. Jumps are relative and of one byte, so each check
// carries its own answer.
func filter(o Options) []unix.SockFilter {
	const load, equal, atLeast, anyOf, answer = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K,
		unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, unix.BPF_RET | unix.BPF_K
	const allow = unix.SECCOMP_RET_ALLOW
	refuse := func(e unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(e) }

	p := []unix.SockFilter{
		{Code: load, K: offsetArch},
		{Code: equal, Jt: 1, K: auditArch},
		{Code: answer, K: unix.SECCOMP_RET_KILL_PROCESS},
		{Code: load, K: offsetNumber},
		{Code: atLeast, Jf: 1, K: x32Bit},
		{Code: answer, K: refuse(unix.ENOSYS)},
		// Its flags are out of a filter's sight; libraries fall back to clone.
		{Code: equal, Jf: 1, K: unix.SYS_CLONE3},
		{Code: answer, K: refuse(unix.ENOSYS)},
	}
	each := func(numbers []uint32, verdict uint32) {
		for _, number := range numbers {
			p = append(p, unix.SockFilter{Code: equal, Jf: 1, K: number}, unix.SockFilter{Code: answer, K: verdict})
		}
	}
	each(forbidden, refuse(unix.EPERM))
	if o.SharedUser {
		each(onAttributes, refuse(unix.EPERM))
		each(onPriority, refuse(unix.EPERM))
		each(onModes, refuse(0)) // done, it seems: programs close their files to others by it
		for _, number := range onProcess {
			p = append(p,
				unix.SockFilter{Code: equal, Jf: 4, K: number},
				unix.SockFilter{Code: load, K: offsetArg0},
				unix.SockFilter{Code: equal, Jf: 1, K: 0},
				unix.SockFilter{Code: answer, K: allow},
				unix.SockFilter{Code: answer, K: refuse(unix.EPERM)})
		}
	}
	p = append(p,
		unix.SockFilter{Code: equal, Jf: 4, K: unix.SYS_CLONE},
		unix.SockFilter{Code: load, K: offsetArg0},
		unix.SockFilter{Code: anyOf, Jf: 1, K: newNamespaces},
		unix.SockFilter{Code: answer, K: refuse(unix.EPERM)},
		unix.SockFilter{Code: answer, K: allow})
	switch {
	case o.AskToConnect:
		each([]uint32{unix.SYS_CONNECT}, unix.SECCOMP_RET_USER_NOTIF)
	case o.NoConnect:
		each([]uint32{unix.SYS_CONNECT}, refuse(unix.EACCES))
	}
	if o.NoNetwork {
		p = append(p,
			unix.SockFilter{Code: equal, Jf: 3, K: unix.SYS_SOCKET},
			unix.SockFilter{Code: load, K: offsetArg0},
			unix.SockFilter{Code: equal, Jt: 1, K: unix.AF_UNIX},
			unix.SockFilter{Code: answer, K: refuse(unix.EAFNOSUPPORT)})
	}
	return append(p, unix.SockFilter{Code: answer, K: allow})
}
