package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// hold stops a process and waits until none of its threads runs: the one that
// takes the signal may be waiting for the disk, and the others go on meanwhile.
func (s *service) hold(pid int) {
	s.t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		s.t.Fatal(err)
	}
	s.eventually("the engine is held", func() bool {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		if err != nil {
			s.t.Fatal(err)
		}
		for _, thread := range threads {
			stat, err := os.ReadFile(thread)
			if errors.Is(err, fs.ErrNotExist) {
				continue // it has ended
			}
			// The name, in parentheses, may have spaces; the state follows it.
			if state := stat[bytes.LastIndexByte(stat, ')')+1:]; err != nil || !bytes.HasPrefix(state, []byte(" T")) {
				return false
			}
		}
		return len(threads) > 0
	})
}

// holdEngines holds all engines, and with them their jobs, until release.
func (s *service) holdEngines() (release func()) {
	s.t.Helper()
	pids := s.enginePIDs()
	if len(pids) == 0 {
		s.t.Fatal("no engine runs")
	}
	for _, pid := range pids {
		s.hold(pid)
	}
	release = func() {
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGCONT) // it may have been killed
		}
	}
	s.t.Cleanup(release) // a stop would wait for them
	return release
}
