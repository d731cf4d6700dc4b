package shim

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/engine-proxy/driver/process/cgroup"
	"github.com/svc-games/svc/engine-proxy/driver/process/confine"
	"github.com/svc-games/svc/engine-proxy/driver/process/procfs"
)

// sweepPause is how long killed processes are given between two looks.
const sweepPause = 2 * time.Millisecond

// sweep kills everything that the engine left behind. Whatever it did to hide,
// it is our child or will be: we inherit each orphan below us. It returns when
// nothing is left.
func (s *supervisor) sweep() {
	for {
		_, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		if errors.Is(err, unix.ECHILD) {
			return
		}
		s.killAll()
		time.Sleep(sweepPause)
	}
}

// killAll kills the engine's group and every process below us that is there
// now.
func (s *supervisor) killAll() {
	if s.record.Cgroup != "" && cgroup.Kill(s.record.Cgroup) == nil {
		return
	}
	if s.config.Namespaces != confine.NoRight {
		_ = unix.Kill(-1, unix.SIGKILL) // all but us, of our namespace
		return
	}
	if s.engine != 0 {
		_ = unix.Kill(-s.engine, unix.SIGKILL)
	}
	for pid, ticks := range descendants(s.record.PID) {
		procfs.Kill(pid, ticks)
	}
}

// descendants lists the processes below pid with their start times.
func descendants(pid int) map[int]uint64 {
	all, err := procfs.Living()
	if err != nil {
		return nil
	}
	children := make(map[int][]int)
	for p, st := range all {
		children[st.Parent] = append(children[st.Parent], p)
	}
	below := make(map[int]uint64)
	for next := children[pid]; len(next) > 0; {
		var further []int
		for _, p := range next {
			below[p] = all[p].StartTicks
			further = append(further, children[p]...)
		}
		next = further
	}
	return below
}
