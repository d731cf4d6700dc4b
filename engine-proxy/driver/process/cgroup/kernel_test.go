package cgroup

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/engine-proxy/driver/process/vmtest"
	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/wait"
)

func TestMain(m *testing.M) {
	vmtest.MainIfAsked()
	os.Exit(m.Run())
}

// TestKernelKeepsTheLimits runs on a kernel that delegates a group, in the long
// run; the tests beside it look at what is written to a group. What becomes
// of an engine that takes too much memory or too many processes, the suite of
// package process proves there.
func TestKernelKeepsTheLimits(t *testing.T) {
	if vmtest.Inside() == "" {
		long.Only(t)
		vmtest.Run(t, "^(TestKernelKeepsTheLimits|TestRealGroupIsKilledWithAllThatIsInIt)$")
		return
	}
	tree, err := Open(vmtest.Group)
	must(t, err)
	t.Run("AGroupThatHoldsAProcessIsRefused", func(t *testing.T) {
		dir, err := tree.Make("busy", Limits{})
		must(t, err)
		begin(t, dir, "sleep 600")
		if _, err := Open(dir); !errors.Is(err, unix.EBUSY) || !strings.Contains(err.Error(), "no process") {
			t.Errorf("got %v, want that it must hold no process", err)
		}
	})
	t.Run("ATenthOfACoreIsNotMore", func(t *testing.T) {
		dir, err := tree.Make("spinner", Limits{CPU: 100})
		must(t, err)
		begin(t, dir, "while :; do :; done")
		wait.Until(t, "the kernel holds it back", func() bool { return throttled(t, dir) >= 3 })
	})
	t.Run("AGroupThatIsLeftIsEmptiedForTheNext", func(t *testing.T) {
		dir, err := tree.Make("again", Limits{})
		must(t, err)
		begin(t, dir, "sleep 600")
		next, err := tree.Make("again", Limits{PIDs: 7})
		must(t, err)
		if got := content(t, filepath.Join(next, "cgroup.procs")) + content(t, filepath.Join(next, "pids.max")); got != "7\n" {
			t.Errorf("it holds processes, or its limit is another: %q", got)
		}
	})
}

// begin runs a script in a group until the test ends, and removes the group.
func begin(t *testing.T, group, script string) {
	t.Helper()
	dir, err := os.Open(group)
	must(t, err)
	defer dir.Close()
	cmd := exec.Command("sh", "-c", script)
	cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(dir.Fd())}
	must(t, cmd.Start())
	t.Cleanup(func() {
		must(t, Remove(group))
		_ = cmd.Wait() // it was killed
	})
}

// throttled is how often the kernel held a group back.
func throttled(t *testing.T, group string) (n int) {
	t.Helper()
	_, rest, _ := strings.Cut(content(t, filepath.Join(group, "cpu.stat")), "nr_throttled ")
	_, err := fmt.Sscan(rest, &n)
	must(t, err)
	return n
}
