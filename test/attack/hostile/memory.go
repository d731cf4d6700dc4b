package hostile

import (
	"os"
	"os/exec"
	"strconv"

	"golang.org/x/sys/unix"
)

// Arguments of System V IPC.
const (
	ipcCreat = 0o1000
	private  = 0 // IPC_PRIVATE
)

// onMemory are attempts to share memory with others, or to leave some behind.
// An argument is the key of what another process made.
var onMemory = map[string]func(string) error{
	"make shared memory":   calls(unix.SYS_SHMGET, private, 1<<20, ipcCreat|0o666),
	"make a semaphore":     calls(unix.SYS_SEMGET, private, 1, ipcCreat|0o666),
	"make a message queue": calls(unix.SYS_MSGGET, private, ipcCreat|0o666),
	"find shared memory":   byKey(unix.SYS_SHMGET, 0, 0),
	"list shared memory":   calls(unix.SYS_SHMCTL, 0, 13 /* SHM_STAT */, 0),
	"open a POSIX queue":   calls(unix.SYS_MQ_OPEN, 0, unix.O_CREAT, 0o666, 0),
	"make secret memory":   calls(unix.SYS_MEMFD_SECRET, 0),
	"make a key":           calls(unix.SYS_ADD_KEY, 0, 0, 0, 0, ^uintptr(3)),
	"read keys":            calls(unix.SYS_KEYCTL, 0, ^uintptr(3), 0),
	"request a key":        calls(unix.SYS_REQUEST_KEY, 0, 0, 0, 0),
	"catch faults":         calls(unix.SYS_USERFAULTFD, 0),
	"use a ring":           calls(unix.SYS_IO_URING_SETUP, 1, 0),
	"run from memory":      runFromMemory,
	"run from shared memory": func(string) error {
		return copyAndRun("/dev/shm/program")
	},
}

func byKey(number uintptr, rest ...uintptr) func(string) error {
	return func(arg string) error {
		key, err := strconv.ParseInt(arg, 0, 64)
		if err != nil {
			return none("%s is no key", arg)
		}
		if _, _, e := unix.Syscall(number, uintptr(key), at(rest, 0), at(rest, 1)); e != 0 {
			return e
		}
		return nil
	}
}

func at(list []uintptr, i int) uintptr {
	if i < len(list) {
		return list[i]
	}
	return 0
}

// runFromMemory runs a program that is in no file.
func runFromMemory(string) error {
	return each(func() error { return runMemory(0) }, func() error { return runMemory(unix.MFD_EXEC) })
}

func runMemory(flags int) error {
	fd, err := unix.MemfdCreate("program", flags)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), "program")
	defer f.Close()
	raw, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		return none("%v", err)
	}
	if _, err := f.Write(raw); err != nil {
		return err
	}
	return ran(exec.Command("/proc/self/fd/" + strconv.Itoa(fd)))
}

// ran reports whether a program could be run, whatever came of it.
func ran(cmd *exec.Cmd) error {
	err := cmd.Start()
	if err != nil {
		return err
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	return nil
}

// copyAndRun runs a program that the engine wrote.
func copyAndRun(path string) error {
	raw, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		return none("%v", err)
	}
	if err := os.WriteFile(path, raw, 0o755); err != nil {
		return err
	}
	defer os.Remove(path)
	return ran(exec.Command(path))
}
