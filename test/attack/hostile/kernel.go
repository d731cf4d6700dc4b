package hostile

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// onKernel are attempts on the machine itself. None does harm where it works.
var onKernel = map[string]func(string) error{
	"load a program":      calls(unix.SYS_BPF, 0, 0, 0),
	"load a module":       calls(unix.SYS_INIT_MODULE, 0, 0, 0),
	"load a module file":  calls(unix.SYS_FINIT_MODULE, ^uintptr(0), 0, 0),
	"remove a module":     calls(unix.SYS_DELETE_MODULE, 0, 0),
	"load a kernel":       calls(unix.SYS_KEXEC_LOAD, 0, ^uintptr(0), 0, 0),
	"watch the processor": calls(unix.SYS_PERF_EVENT_OPEN, 0, 0, ^uintptr(0), ^uintptr(0), 0),
	"read its log":        calls(unix.SYS_SYSLOG, 10 /* SYSLOG_ACTION_SIZE_BUFFER */, 0, 0),
	"count processes":     calls(unix.SYS_ACCT, 0),
	"set the time":        calls(unix.SYS_CLOCK_SETTIME, 99, 0),
	"steer the clock":     calls(unix.SYS_ADJTIMEX, 0),
	"name the host":       func(string) error { return unix.Sethostname([]byte("host")) },
	"name the domain":     func(string) error { return unix.Setdomainname([]byte("domain")) },
	"stop the machine":    calls(unix.SYS_REBOOT, 0, 0, 0, 0),
	"swap":                calls(unix.SYS_SWAPON, 0, 0),
	"change personality":  calls(unix.SYS_PERSONALITY, 0x0400000 /* READ_IMPLIES_EXEC */),
	"move pages":          calls(unix.SYS_MOVE_PAGES, 1, 0, 0, 0, 0, 0),
	"prefer a node":       calls(unix.SYS_SET_MEMPOLICY, 0, 0, 0),
	"load a filter":       calls(unix.SYS_SECCOMP, 99, 0, 0),
	"look a cookie up":    calls(unix.SYS_LOOKUP_DCOOKIE, 0, 0, 0),
	"use a number of tomorrow": func(arg string) error {
		number, err := strconv.Atoi(arg)
		if err != nil {
			return none("%s is no number", arg)
		}
		return call(uintptr(number))
	},
	"use another convention": calls(0x40000000 + unix.SYS_GETPID),
	"push back to a terminal": func(string) error {
		return call(unix.SYS_IOCTL, 0, unix.TIOCSTI, 0)
	},
	"read a kernel's file": func(path string) error { _, err := os.ReadFile(path); return err },
}

// onPrograms are attempts to run what is not the engine's own program.
var onPrograms = map[string]func(string) error{
	"run a program":               run,
	"run what it wrote":           func(string) error { return copyAndRun("program") },
	"run what it wrote to /tmp":   func(string) error { return copyAndRun("/tmp/program") },
	"run what it wrote to TMPDIR": func(string) error { return copyAndRun(os.TempDir() + "/program") },
	"run by a descriptor":         runByDescriptor,
}
