package hostile

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// onProcess makes an attempt on the process whose id is the argument.
func onProcess(f func(pid int) error) func(string) error {
	return func(arg string) error {
		pid, err := strconv.Atoi(arg)
		if err != nil {
			return none("%s is no process", arg)
		}
		return f(pid)
	}
}

// onProcesses are attempts on processes that are not the engine's.
var onProcesses = map[string]func(string) error{
	// Signal 0 is sent to no one, but needs the same permission.
	"signal it":            onProcess(func(pid int) error { return syscall.Kill(pid, 0) }),
	"trace it":             onProcess(unix.PtraceSeize),
	"read its memory":      onProcess(func(pid int) error { return peek(pid) }),
	"read its environment": onProcess(func(pid int) error { return readOf(pid, "environ") }),
	"read its arguments":   onProcess(func(pid int) error { return readOf(pid, "cmdline") }),
	"open its memory":      onProcess(func(pid int) error { return readOf(pid, "mem") }),
	"list its files": onProcess(func(pid int) error {
		_, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		return err
	}),
	"take a file of it": onProcess(func(pid int) error {
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		_, err = unix.PidfdGetfd(fd, 0, 0)
		return err
	}),
	"enter its namespace": onProcess(func(pid int) error {
		fd, err := unix.Open(fmt.Sprintf("/proc/%d/ns/mnt", pid), unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return unix.Setns(fd, 0)
	}),
	"limit it": onProcess(func(pid int) error {
		var now unix.Rlimit
		if err := unix.Prlimit(pid, unix.RLIMIT_NOFILE, nil, &now); err != nil {
			return err
		}
		return unix.Prlimit(pid, unix.RLIMIT_NOFILE, &now, nil)
	}),
	"slow it down": onProcess(func(pid int) error { return unix.Setpriority(unix.PRIO_PROCESS, pid, 19) }),
	"bind it to a processor": onProcess(func(pid int) error {
		var set unix.CPUSet
		if err := unix.SchedGetaffinity(pid, &set); err != nil {
			return err
		}
		return unix.SchedSetaffinity(pid, &set)
	}),
	"compare it":            onProcess(func(pid int) error { return call(unix.SYS_KCMP, uintptr(pid), uintptr(os.Getpid()), 0, 0, 0) }),
	"advise on its memory":  onProcess(func(pid int) error { return advise(pid) }),
	"join a namespace":      calls(unix.SYS_SETNS, ^uintptr(0), 0),
	"leave a namespace":     func(string) error { return unix.Unshare(unix.CLONE_NEWUSER) },
	"make a user namespace": cloned(unix.CLONE_NEWUSER),
	"make all namespaces": cloned(unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
		unix.CLONE_NEWIPC | unix.CLONE_NEWUTS),
	"clone out of sight": calls(unix.SYS_CLONE3, 0, 0),
	"become root":        func(string) error { return unix.Setresuid(0, 0, 0) },
	"become another":     onProcess(func(uid int) error { return unix.Setresuid(uid, uid, uid) }),
	"take a capability": func(string) error {
		return unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_RAISE, unix.CAP_SYS_ADMIN, 0, 0)
	},
	"be traced by anyone": func(string) error {
		return unix.Prctl(unix.PR_SET_PTRACER, ^uintptr(0), 0, 0, 0)
	},
}

func readOf(pid int, name string) error {
	f, err := os.Open(fmt.Sprintf("/proc/%d/%s", pid, name))
	if err != nil {
		return err
	}
	return f.Close()
}

func peek(pid int) error {
	buf := make([]byte, 8)
	local := []unix.Iovec{{Base: &buf[0], Len: 8}}
	_, err := unix.ProcessVMReadv(pid, local, []unix.RemoteIovec{{Base: 0x400000, Len: 8}}, 0)
	if err == unix.EFAULT {
		return nil
	}
	return err
}

func advise(pid int) error {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return call(unix.SYS_PROCESS_MADVISE, uintptr(fd), 0, 0, unix.MADV_COLD, 0)
}

// cloned starts a process in namespaces of its own.
func cloned(flags uintptr) func(string) error {
	return func(string) error {
		cmd := exec.Command("/proc/self/exe")
		cmd.Env = []string{"SVC_TEST_ENGINE_ROLE=sleeper"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
		return ran(cmd)
	}
}
