package cgroup

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/test/need"
	"github.com/svc-games/svc/test/wait"
)

// standIn is a directory that looks like a delegated group, since few machines
// delegate one to tests. What the kernel does with the files is not in it.
func standIn(t *testing.T, controllers string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"cgroup.controllers": controllers, "cgroup.subtree_control": ""} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	return dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	must(t, err)
	return string(raw)
}

func TestControllersAreTurnedOnForTheChildren(t *testing.T) {
	dir := standIn(t, "cpuset cpu io memory hugetlb pids\n")
	_, err := Open(dir)
	must(t, err)
	if got := content(t, filepath.Join(dir, "cgroup.subtree_control")); got != "+memory +pids +cpu" {
		t.Errorf("turned on %q", got)
	}
}

func TestGroupThatIsNotDelegatedIsRefused(t *testing.T) {
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "version 2") {
		t.Errorf("a plain directory: %v", err)
	}
	if _, err := Open(standIn(t, "cpu pids\n")); err == nil || !strings.Contains(err.Error(), "memory") {
		t.Errorf("a group without memory: %v", err)
	}
}

func TestLimitsAreWrittenInTheKernelsUnits(t *testing.T) {
	dir := t.TempDir()
	// The kernel makes a group's files; here they are made before.
	for _, name := range []string{"memory.max", "memory.swap.max", "memory.oom.group", "pids.max", "cpu.max"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("max"), 0o600))
	}
	must(t, limit(dir, Limits{Memory: 512 << 20, PIDs: 256, CPU: 500}))
	for name, want := range map[string]string{
		"memory.max": "536870912", "memory.swap.max": "0", "memory.oom.group": "1", "pids.max": "256", "cpu.max": "50000 100000",
	} {
		if got := content(t, filepath.Join(dir, name)); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	must(t, os.Remove(filepath.Join(dir, "memory.swap.max"))) // a kernel without swap
	must(t, limit(dir, Limits{Memory: 1 << 20}))
	must(t, os.Remove(filepath.Join(dir, "pids.max")))
	if err := limit(dir, Limits{PIDs: 1}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a limit that can't be set: %v", err)
	}
	must(t, limit(dir, Limits{})) // nothing asked, nothing needed
}

func TestOOMKillIsSeen(t *testing.T) {
	dir := t.TempDir()
	if OOMKilled(dir) {
		t.Error("a group without counters had an OOM kill")
	}
	for events, want := range map[string]bool{
		"low 0\nhigh 0\nmax 12\noom 1\noom_kill 0\noom_group_kill 0\n": false,
		"low 0\nhigh 0\nmax 12\noom 1\noom_kill 3\noom_group_kill 1\n": true,
	} {
		must(t, os.WriteFile(filepath.Join(dir, "memory.events"), []byte(events), 0o600))
		if OOMKilled(dir) != want {
			t.Errorf("%q: not %t", events, want)
		}
	}
}

// unified is a place with groups of version 2, whatever controllers they have:
// this machine's, or where it uses the first version one that is mounted for
// the test. "" if we may not make any.
func unified(t *testing.T) string {
	t.Helper()
	for _, dir := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		if _, err := os.Stat(filepath.Join(dir, "cgroup.controllers")); err != nil {
			continue
		}
		probe, err := os.MkdirTemp(dir, "svc-test-")
		if err != nil {
			continue
		}
		must(t, os.Remove(probe))
		return dir
	}
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "cgroup2", 0, ""); err != nil {
		return ""
	}
	t.Cleanup(func() { must(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	return dir
}

func TestRealGroupIsKilledWithAllThatIsInIt(t *testing.T) {
	root := unified(t)
	if root == "" {
		need.Missing(t, "the tests of control groups must run as root")
	}
	dir, err := os.MkdirTemp(root, "svc-test-")
	must(t, err)
	t.Cleanup(func() { must(t, Remove(dir)) })
	handle, err := os.Open(dir)
	must(t, err)
	defer handle.Close()
	// It leaves its session and ignores what it can.
	cmd := exec.Command("sh", "-c", "trap '' TERM; setsid sleep 600 & echo up; wait; sleep 600")
	cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(handle.Fd())}
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	if _, err := out.Read(make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	must(t, Remove(dir))
	_ = wait.For(t, "the group's process has ended", done) // it was killed
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the group is still there: %v", err)
	}
	must(t, Remove(dir)) // once more is nothing to do
}
