// Package procfs reads what the drivers need of /proc.
package procfs

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Stat is what we need of /proc/PID/stat.
type Stat struct {
	State      byte
	Parent     int
	Session    int
	Threads    int
	StartTicks uint64 // since boot; with the boot id it makes a process id unique
}

// Dead reports whether only the process's entry is left. The state is that of
// the first thread: one that has ended says nothing of the others, which go on
// and hold what the process has open.
func (s Stat) Dead() bool { return (s.State == 'Z' || s.State == 'X') && s.Threads <= 1 }

// ReadStat returns the status of a process. Gone tells whether an error says
// that there is none.
func ReadStat(pid int) (Stat, error) { return readStat(fmt.Sprintf("/proc/%d", pid)) }

// readStat reads the status of a process, or a thread, in its directory.
func readStat(dir string) (Stat, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return Stat{}, fmt.Errorf("reading process status: %w", err)
	}
	// The name in parentheses may hold anything; what follows the last one is
	// fields 3 and up.
	end := bytes.LastIndexByte(raw, ')')
	fields := strings.Fields(string(raw[end+1:]))
	const first, fieldState, fieldParent, fieldSession, fieldThreads, fieldStart = 3, 3, 4, 6, 20, 22
	if end < 0 || len(fields) <= fieldStart-first {
		return Stat{}, errors.New("reading process status: unexpected form")
	}
	s := Stat{State: fields[fieldState-first][0]}
	if s.Parent, err = strconv.Atoi(fields[fieldParent-first]); err != nil {
		return Stat{}, fmt.Errorf("reading process parent: %w", err)
	}
	if s.Session, err = strconv.Atoi(fields[fieldSession-first]); err != nil {
		return Stat{}, fmt.Errorf("reading process session: %w", err)
	}
	if s.Threads, err = strconv.Atoi(fields[fieldThreads-first]); err != nil {
		return Stat{}, fmt.Errorf("reading number of threads: %w", err)
	}
	if s.StartTicks, err = strconv.ParseUint(fields[fieldStart-first], 10, 64); err != nil {
		return Stat{}, fmt.Errorf("reading process start time: %w", err)
	}
	return s, nil
}

// Gone reports whether an error of ReadStat says that there is no process.
func Gone(err error) bool { return errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) }

// BootID names the time since the machine was started.
func BootID() (string, error) {
	raw, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", fmt.Errorf("reading boot id: %w", err)
	}
	return strings.TrimSpace(string(raw)), nil
}

// Living lists the processes that are not Dead, by their ids.
func Living() (map[int]Stat, error) {
	pids, err := Processes()
	if err != nil {
		return nil, err
	}
	living := make(map[int]Stat)
	for _, pid := range pids {
		if st, err := ReadStat(pid); err == nil && !st.Dead() {
			living[pid] = st
		}
	}
	return living, nil
}

// Processes lists the ids of all processes.
func Processes() ([]int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	var pids []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// Arguments returns the command line of a process; none for one that has
// ended.
func Arguments(pid int) ([]string, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil || len(raw) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimRight(string(raw), "\x00"), "\x00"), nil
}

// Kill kills a process, unless its id is another one's by now.
func Kill(pid int, startTicks uint64) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return // gone
	}
	defer unix.Close(fd)
	if st, err := ReadStat(pid); err == nil && st.StartTicks == startTicks {
		_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) // it may just have ended
	}
}

// Owner returns the user whom a process runs as.
func Owner(pid int) (int, error) {
	info, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
	if err != nil {
		return 0, err
	}
	return int(info.Sys().(*syscall.Stat_t).Uid), nil
}

// Self returns the id of this process as /proc has it: who is in a namespace of
// its own has another one there.
func Self() (int, error) {
	name, err := os.Readlink("/proc/self")
	if err != nil {
		return 0, fmt.Errorf("reading own process id: %w", err)
	}
	pid, err := strconv.Atoi(name)
	if err != nil {
		return 0, fmt.Errorf("reading own process id: %w", err)
	}
	return pid, nil
}

// Named returns the id, as /proc has it, of the process that a pidfd stands for.
func Named(pidfd int) (int, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", pidfd))
	if err != nil {
		return 0, fmt.Errorf("reading process id: %w", err)
	}
	pid, err := Number(raw, "Pid")
	if err != nil {
		return 0, fmt.Errorf("reading process id: %w", err)
	}
	return pid, nil
}

// Number returns the number that stands after a name in a file of names.
func Number(file []byte, name string) (int, error) {
	_, rest, _ := strings.Cut(string(file), "\n"+name+":")
	text, _, _ := strings.Cut(rest, "\n")
	return strconv.Atoi(strings.TrimSpace(text))
}
