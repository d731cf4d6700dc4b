package confine

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/engine-proxy/internal/calls"
)

// Offsets in struct seccomp_data. Arguments are 64 bits wide; on the machines
// that we know the lower half comes first.
const (
	offsetNumber = 0
	offsetArch   = 4
	offsetArg0   = 16
	offsetArg1   = 24
)

func seccompAvailable() bool {
	if auditArch == 0 {
		return false
	}
	// An action that is known means that filters are, and one who is asked.
	action := uint32(unix.SECCOMP_RET_USER_NOTIF)
	const getActionAvail = 2 // SECCOMP_GET_ACTION_AVAIL
	_, _, e := unix.Syscall(unix.SYS_SECCOMP, getActionAvail, 0, uintptr(unsafe.Pointer(&action)))
	return e == 0
}

// filterSyscalls leaves the calling thread what is allowed. Where there is no
// filter for the machine nothing is done: Look tells. The listener is -1 where
// something around us listens already, and then nothing can be asked.
func filterSyscalls(sharedUser bool) (listener int, err error) {
	if !seccompAvailable() {
		return -1, nil
	}
	listener, err = load(filter(sharedUser, true), unix.SECCOMP_FILTER_FLAG_NEW_LISTENER)
	if errors.Is(err, unix.EBUSY) {
		_, err = load(filter(sharedUser, false), 0)
		return -1, err
	}
	return listener, err
}

func load(program []unix.SockFilter, flags uintptr) (int, error) {
	fprog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	fd, _, e := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&fprog)))
	if e != 0 {
		return -1, fmt.Errorf("loading filter: %w", e)
	}
	return int(fd), nil
}

// Instructions of a filter.
const (
	bpfLoad   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	bpfEqual  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	bpfAnyOf  = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
	bpfAnd    = unix.BPF_ALU | unix.BPF_AND | unix.BPF_K
	bpfAnswer = unix.BPF_RET | unix.BPF_K
)

func refuse(e unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(e) }

// filter is the program. Jumps are relative and of one byte, so each check
// carries its own answer. With ask, whoever holds the listener answers what is
// not listed, and each attempt to connect.
func filter(sharedUser, ask bool) []unix.SockFilter {
	const allow = unix.SECCOMP_RET_ALLOW
	unlisted, connect := refuse(unix.ENOSYS), refuse(unix.EACCES)
	if ask {
		unlisted, connect = unix.SECCOMP_RET_USER_NOTIF, unix.SECCOMP_RET_USER_NOTIF
	}
	p := []unix.SockFilter{
		{Code: bpfLoad, K: offsetArch},
		{Code: bpfEqual, Jt: 1, K: auditArch},
		{Code: bpfAnswer, K: unix.SECCOMP_RET_KILL_PROCESS},
		{Code: bpfLoad, K: offsetNumber},
	}
	each := func(numbers []uint32, verdict uint32) {
		for _, number := range numbers {
			p = append(p, unix.SockFilter{Code: bpfEqual, Jf: 1, K: number}, unix.SockFilter{Code: bpfAnswer, K: verdict})
		}
	}
	// when adds instructions for one system call, which end in an answer.
	when := func(number uint32, then ...unix.SockFilter) {
		p = append(p, unix.SockFilter{Code: bpfEqual, Jf: uint8(len(then)), K: number})
		p = append(p, then...)
	}
	// oneOf allows a value that was loaded if it is listed.
	oneOf := func(values []uint32, otherwise uint32) (then []unix.SockFilter) {
		for _, v := range values {
			then = append(then, unix.SockFilter{Code: bpfEqual, Jf: 1, K: v}, unix.SockFilter{Code: bpfAnswer, K: allow})
		}
		return append(then, unix.SockFilter{Code: bpfAnswer, K: otherwise})
	}
	argument := func(offset uint32) unix.SockFilter { return unix.SockFilter{Code: bpfLoad, K: offset} }

	each(calls.Allowed.Numbers(), allow)
	each(calls.Absent.Numbers(), refuse(unix.ENOSYS))
	each([]uint32{unix.SYS_CONNECT}, connect)
	if sharedUser {
		each(calls.OnPriority.Numbers(), refuse(unix.EPERM))
		each(calls.OnModes.Numbers(), refuse(0)) // done, it seems
		for _, number := range calls.OnProcess.Numbers() {
			when(number, append([]unix.SockFilter{argument(offsetArg0)}, oneOf([]uint32{0}, refuse(unix.EPERM))...)...)
		}
	} else {
		each(calls.OnPriority.Numbers(), allow)
		each(calls.OnModes.Numbers(), allow)
		each(calls.OnProcess.Numbers(), allow)
	}
	when(unix.SYS_CLONE, argument(offsetArg0),
		unix.SockFilter{Code: bpfAnyOf, Jf: 1, K: calls.Namespaces},
		unix.SockFilter{Code: bpfAnswer, K: refuse(unix.EPERM)},
		unix.SockFilter{Code: bpfAnswer, K: allow})
	for _, number := range []uint32{unix.SYS_SOCKET, unix.SYS_SOCKETPAIR} {
		then := []unix.SockFilter{
			argument(offsetArg0),
			{Code: bpfEqual, Jt: 1, K: calls.Family},
			{Code: bpfAnswer, K: refuse(unix.EAFNOSUPPORT)},
			argument(offsetArg1),
			{Code: bpfAnd, K: calls.KindMask},
		}
		when(number, append(then, oneOf(calls.Kinds, refuse(unix.ESOCKTNOSUPPORT))...)...)
	}
	// Memory that other processes of the engine map: no program can be run from it.
	when(unix.SYS_MEMFD_CREATE, argument(offsetArg1),
		unix.SockFilter{Code: bpfAnyOf, Jt: 1, K: calls.NeverRun},
		unix.SockFilter{Code: bpfAnswer, K: refuse(unix.EINVAL)},
		unix.SockFilter{Code: bpfAnswer, K: allow})
	when(unix.SYS_IOCTL, append([]unix.SockFilter{argument(offsetArg1)}, oneOf(calls.Requests, refuse(unix.ENOTTY))...)...)
	when(unix.SYS_PRCTL, append([]unix.SockFilter{argument(offsetArg0)}, oneOf(calls.Options, refuse(unix.EINVAL))...)...)
	return append(p, unix.SockFilter{Code: bpfAnswer, K: unlisted})
}
