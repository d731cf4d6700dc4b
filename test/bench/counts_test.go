package bench

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/svc-games/svc/test/child"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/programs"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/wait"
)

// What a short run holds, since it does not depend on how fast a machine is: nearly a third
// more than was measured.
const (
	mostAllocations      = 1150 // of a submission, of which 885 were
	mostCalls            = 45.0 // reads and writes of it: 35.2
	mostSyncs            = 2.6  // waits for the disk: 2, of reserve and commit
	mostHeap             = 6600 // bytes of a stream: 5,000 to 5,400
	mostEventAllocations = 3.0  // 2.34
	mostEventCalls       = 1.3  // 1.01, one write to each client
)

// counts are what a process did since its start.
type counts struct {
	allocations int64 // of Go's objects
	calls       int64 // of the system, that read or wrote
}

// counted returns what a gateway did. To ask is a little of it.
func (r *report) counted(g *rig.Gateway) (c counts) {
	memory, err := g.Memory()
	if err != nil {
		r.t.Fatal(err)
	}
	c.allocations = int64(memory.Mallocs)
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", g.PID()))
	if err != nil {
		r.t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		var n int64
		if _, err := fmt.Sscanf(line, "syscr: %d", &n); err == nil {
			c.calls += n
		} else if _, err := fmt.Sscanf(line, "syscw: %d", &n); err == nil {
			c.calls += n
		}
	}
	return c
}

// since returns what was done since before, for each of so many.
func (c counts) since(before counts, n int64) (allocations, calls float64) {
	return float64(c.allocations-before.allocations) / float64(n), float64(c.calls-before.calls) / float64(n)
}

// lives returns how many bytes of a gateway's heap and stacks are in use after a
// collection.
func (r *report) lives(g *rig.Gateway) int64 {
	_, err := g.Profile(0) // it collects
	if err != nil {
		r.t.Fatal(err)
	}
	memory, err := g.Memory()
	if err != nil {
		r.t.Fatal(err)
	}
	return int64(memory.HeapAlloc + memory.StackInuse)
}

// countsOfASubmission says what a submission takes of the gateway, of whatever machine.
func (r *report) countsOfASubmission() {
	w := r.warm(warming{program: programs.Build(r.t, fakeengine.Folder), projects: warmProjects, switches: &fakeengine.Switches{AcceptOnly: true}})
	n := int64(each * len(w.projects))
	before := r.counted(w.Gateway)
	var after counts
	syncs := r.syncsOf(w.PID(), func() {
		r.over(w, func(send func(project string) bool) {
			for i := range n {
				if !send(w.projects[int(i)%len(w.projects)]) {
					r.t.FailNow()
				}
			}
		})
		after = r.counted(w.Gateway)
	})
	allocations, calls := after.since(before, n)
	s := r.section("What a submission takes", fmt.Sprintf("Of the gateway's process, for each of %d submissions, one after the other, to engines that only accept. "+
		"The same on every machine; a short run holds it to a third more than was measured.", n), "", "measured", "most in a short run")
	s.row("allocations", fmt.Sprintf("%.0f", allocations), mostAllocations)
	r.hold(allocations <= mostAllocations, "a submission takes %.0f allocations, want at most %d", allocations, mostAllocations)
	s.row("system calls that read or write", fmt.Sprintf("%.1f", calls), mostCalls)
	r.hold(calls <= mostCalls, "a submission takes %.1f reads and writes, want at most %v", calls, mostCalls)
	if syncs >= 0 {
		each := float64(syncs) / float64(n)
		s.row("waits for the disk", fmt.Sprintf("%.2f", each), mostSyncs)
		r.hold(each <= mostSyncs, "a submission waits %.2f times for the disk, want at most %v", each, mostSyncs)
	}
	r.stop(w)
}

// syncsOf returns how often a process waited for the disk during a load; -1 where there is
// no strace, or it may not look.
func (r *report) syncsOf(pid int, load func()) (syncs int) {
	program, err := exec.LookPath("strace")
	if err != nil {
		load()
		return -1
	}
	trace := filepath.Join(r.t.TempDir(), "trace")
	cmd := exec.Command(program, "-f", "-qq", "-o", trace, "-e", "trace=fsync,fdatasync,syncfs,sync", "-p", fmt.Sprint(pid))
	if err := child.Start(cmd); err != nil {
		r.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	looks := false
	wait.Until(r.t, "strace looks, or may not", func() bool {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		looks = err == nil && !bytes.Contains(status, []byte("TracerPid:\t0\n"))
		return looks || len(ended) > 0
	})
	load()
	_ = cmd.Process.Signal(os.Interrupt) // it may have ended
	<-ended
	if !looks {
		return -1
	}
	lines, err := os.ReadFile(trace)
	if err != nil {
		r.t.Fatal(err)
	}
	return bytes.Count(lines, []byte("sync("))
}
