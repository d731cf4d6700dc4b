// Package calls is what engines may ask of the kernel, wherever they run.
package calls

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// A group is system calls that programs need for one purpose.
type group struct {
	why   string
	calls []uint32
}

// allowed is what an engine's program may ask of the kernel: what the reference
// engine, Chromium and the C library were seen to use, and what any program of
// the same kind does in its place. Those of old, which younger machines do
// without, are in oldCalls; those that depend on their arguments in filter.
var allowed = []group{
	{"memory of its own", []uint32{
		unix.SYS_BRK, unix.SYS_MADVISE, unix.SYS_MEMBARRIER, unix.SYS_MMAP, unix.SYS_MPROTECT, unix.SYS_PKEY_ALLOC, unix.SYS_PKEY_FREE, unix.SYS_PKEY_MPROTECT,
		unix.SYS_MREMAP, unix.SYS_MSYNC, unix.SYS_MUNMAP,
	}},
	{"threads and processes below it", []uint32{
		unix.SYS_EXECVE, unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_FUTEX, unix.SYS_GETPGID, unix.SYS_GETPID,
		unix.SYS_GETPPID, unix.SYS_GETRUSAGE, unix.SYS_GETSID, unix.SYS_GETTID, unix.SYS_GET_ROBUST_LIST, unix.SYS_PIDFD_OPEN,
		unix.SYS_RESTART_SYSCALL, unix.SYS_RSEQ, unix.SYS_SETPGID, unix.SYS_SETSID, unix.SYS_SET_ROBUST_LIST, unix.SYS_SET_TID_ADDRESS,
		unix.SYS_WAIT4, unix.SYS_WAITID,
	}},
	{"signals", []uint32{
		unix.SYS_KILL, unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK,
		unix.SYS_RT_SIGRETURN, unix.SYS_RT_SIGSUSPEND, unix.SYS_RT_SIGTIMEDWAIT, unix.SYS_RT_TGSIGQUEUEINFO,
		unix.SYS_SIGALTSTACK, unix.SYS_TGKILL, unix.SYS_TKILL,
	}},
	{"processors", []uint32{
		unix.SYS_GETCPU, unix.SYS_GETPRIORITY, unix.SYS_SCHED_GETAFFINITY, unix.SYS_SCHED_GETATTR, unix.SYS_SCHED_GETPARAM, unix.SYS_SCHED_GETSCHEDULER,
		unix.SYS_SCHED_GET_PRIORITY_MAX, unix.SYS_SCHED_GET_PRIORITY_MIN, unix.SYS_SCHED_YIELD,
	}},
	{"time", []uint32{
		unix.SYS_CLOCK_GETRES, unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_GETTIMEOFDAY,
		unix.SYS_NANOSLEEP, unix.SYS_TIMERFD_CREATE, unix.SYS_TIMERFD_GETTIME, unix.SYS_TIMERFD_SETTIME,
	}},
	{"who it is", []uint32{
		unix.SYS_CAPGET, unix.SYS_GETEGID, unix.SYS_GETEUID, unix.SYS_GETGID, unix.SYS_GETGROUPS, unix.SYS_GETRESGID,
		unix.SYS_GETRESUID, unix.SYS_GETUID, unix.SYS_SYSINFO, unix.SYS_UMASK, unix.SYS_UNAME,
	}},
	{"files, of which Landlock says which", []uint32{
		unix.SYS_CHDIR, unix.SYS_CLOSE, unix.SYS_CLOSE_RANGE, unix.SYS_COPY_FILE_RANGE, unix.SYS_DUP, unix.SYS_DUP3, unix.SYS_FACCESSAT,
		unix.SYS_FACCESSAT2, unix.SYS_FADVISE64, unix.SYS_FALLOCATE, unix.SYS_FCHDIR, unix.SYS_FCHMOD, unix.SYS_FCNTL, unix.SYS_FDATASYNC,
		unix.SYS_FLOCK, unix.SYS_FSTAT, unix.SYS_FSTATFS, unix.SYS_FSYNC, unix.SYS_FTRUNCATE, unix.SYS_GETCWD, unix.SYS_GETDENTS64,
		unix.SYS_LINKAT, unix.SYS_LSEEK, unix.SYS_MKDIRAT,
		unix.SYS_NEWFSTATAT, unix.SYS_OPENAT, unix.SYS_OPENAT2, unix.SYS_PREAD64, unix.SYS_PREADV, unix.SYS_PREADV2, unix.SYS_PWRITE64,
		unix.SYS_PWRITEV, unix.SYS_PWRITEV2, unix.SYS_READ, unix.SYS_READLINKAT, unix.SYS_READV,
		unix.SYS_RENAMEAT2, unix.SYS_SENDFILE, unix.SYS_SPLICE, unix.SYS_STATFS, unix.SYS_STATX, unix.SYS_SYMLINKAT,
		unix.SYS_TRUNCATE, unix.SYS_UNLINKAT, unix.SYS_WRITE, unix.SYS_WRITEV,
	}},
	{"pipes, and waiting for many descriptors", []uint32{
		unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EPOLL_PWAIT2, unix.SYS_EVENTFD2, unix.SYS_PIPE2,
		unix.SYS_PPOLL, unix.SYS_PSELECT6,
	}},
	{"its own socket, and those within the engine", []uint32{
		unix.SYS_ACCEPT, unix.SYS_ACCEPT4, unix.SYS_BIND, unix.SYS_GETPEERNAME, unix.SYS_GETSOCKNAME, unix.SYS_GETSOCKOPT, unix.SYS_LISTEN,
		unix.SYS_RECVFROM, unix.SYS_RECVMSG, unix.SYS_SENDMSG, unix.SYS_SENDTO, unix.SYS_SETSOCKOPT,
		unix.SYS_SHUTDOWN,
	}},
	{"chance", []uint32{unix.SYS_GETRANDOM}},
}

// OnModes change the mode, the owner or the times of a file by its name, which
// Landlock does not guard. Programs close their files to others by them.
var OnModes = append([]uint32{
	unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT,
}, oldOnModes...)

// OnProcess change what the process named by their first argument may use; 0
// is the caller.
var OnProcess = []uint32{
	unix.SYS_PRLIMIT64, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETATTR, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETSCHEDULER,
}

// OnPriority change priorities, of whole users as well.
var OnPriority = []uint32{unix.SYS_SETPRIORITY}

// Requests of ioctl. Which devices there are Landlock says.
var Requests = []uint32{
	unix.TCGETS,  // is it a terminal?
	0x541b,       // FIONREAD: how much is there to read?
	0x5421,       // FIONBIO
	0x5451,       // FIOCLEX
	unix.FICLONE, // a copy of a file on the same disk
}

// Options of prctl, none of which reaches beyond the caller.
var Options = []uint32{
	unix.PR_GET_DUMPABLE, unix.PR_SET_DUMPABLE, unix.PR_GET_NAME, unix.PR_SET_NAME, unix.PR_GET_PDEATHSIG, unix.PR_SET_PDEATHSIG,
	unix.PR_GET_NO_NEW_PRIVS, unix.PR_SET_NO_NEW_PRIVS, unix.PR_GET_SECCOMP, unix.PR_CAPBSET_READ, unix.PR_GET_TIMERSLACK,
	unix.PR_SET_TIMERSLACK, unix.PR_SET_VMA, unix.PR_GET_TID_ADDRESS, unix.PR_GET_CHILD_SUBREAPER,
}

// Family and Kinds of sockets: those of files, whose peers are a guard's to
// allow. One for datagrams needs no connection, and so no guard sees whom it
// sends to.
const Family = unix.AF_UNIX

var Kinds = []uint32{unix.SOCK_STREAM, unix.SOCK_SEQPACKET}

// Absent are system calls of which programs know that a kernel may not have
// them, and which they try first: they are not worth a word.
var Absent = append([]uint32{
	unix.SYS_CLONE3,                  // its flags are out of a filter's sight; libraries fall back to clone
	unix.SYS_INOTIFY_INIT1,           // tells of files that Landlock keeps away; Chromium does without
	unix.SYS_LANDLOCK_CREATE_RULESET, // Chromium asks for its version
	unix.SYS_MINCORE,                 // Chromium measures its own memory from time to time, and does without
}, oldAbsent...)

// Listed are the numbers of all groups.
func Listed() []uint32 {
	var all []uint32
	for _, g := range append(slices.Clone(allowed), oldCalls) {
		all = append(all, g.calls...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// callNames are names, split.
var callNames = sync.OnceValue(func() []string { return strings.Fields(names) })

// Name returns the name of a system call, or its number.
func Name(number int) string {
	if all := callNames(); number >= 0 && number < len(all) && all[number] != "-" {
		return all[number]
	}
	return strconv.Itoa(number)
}

// KindMask is the part of a socket's type that is no flag (SOCK_TYPE_MASK).
const KindMask = 0xf

// NeverRun is the flag of memfd_create for memory that nothing makes executable
// again (MFD_NOEXEC_SEAL). A kernel before 6.3 does not know it, and then programs
// do without.
const NeverRun = 0x8

// Namespaces are the flags of clone that make namespaces.
const Namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
