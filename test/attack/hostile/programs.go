package hostile

import (
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

func run(path string) error { return ran(exec.Command(path)) }

// runByDescriptor has no program in the end: that the kernel looks for one is
// what shows that it would run one.
func runByDescriptor(string) error {
	f, err := os.Open(os.DevNull)
	if err != nil {
		return none("%v", err)
	}
	defer f.Close()
	empty, keep := text("")
	defer keep()
	_, _, e := unix.Syscall6(unix.SYS_EXECVEAT, f.Fd(), empty, 0, 0, unix.AT_EMPTY_PATH, 0)
	if e == unix.EACCES || e == unix.ENOEXEC || e == unix.EFAULT {
		return nil // it was looked at
	}
	return e
}
