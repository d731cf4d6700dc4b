// Package umltest runs tests in a kernel of their own: User Mode Linux, which is
// a program like any other and needs no right. It delegates a whole hierarchy of
// control groups of version 2, which few machines that run tests do.
package umltest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/test/wait"
)

const (
	program   = "linux.uml"    // of Debian's package user-mode-linux
	memory    = 1 << 30        // of a guest, in bytes
	orderName = "SVC_TEST_UML" // names the file with the order, in the guest's environment
	passed    = "umltest: the tests have passed"
)

// Group is the group that is delegated to the tests in the guest. It holds no
// process.
const Group = "/sys/fs/cgroup/svc"

// order is what a guest is to do.
type order struct {
	Tests string   // regular expression
	Files []string // to be found in Inside's directory
	Env   []string
}

// patience is how long a guest may take on a busy machine.
const patience = 10 * time.Minute

// Run runs tests of the package under test in a guest, as root. The programs
// are taken along. The package's TestMain must begin with MainIfAsked.
func Run(t *testing.T, tests string, programs ...string) {
	t.Helper()
	if runtime.GOARCH != "amd64" {
		t.Skip("User Mode Linux is there for amd64 alone")
	}
	linux, err := exec.LookPath(program)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("User Mode Linux is missing: %v", err)
		}
		t.Skip("needs User Mode Linux: install user-mode-linux")
	}
	dir := t.TempDir()
	first := filepath.Join(dir, "tests")
	build(t, first)
	raw, err := json.Marshal(order{Tests: tests, Files: append(programs, first), Env: []string{"CI=" + os.Getenv("CI"), "PATH=" + os.Getenv("PATH")}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "order")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := wait.Within(t.Context(), patience)
	defer cancel()
	// This machine's files are the guest's, read-only.
	cmd := exec.CommandContext(ctx, linux, fmt.Sprintf("mem=%dM", memory>>20), "root=/dev/root", "rootfstype=hostfs", "ro", "quiet",
		"con=null", "con0=null,fd:1", "init="+first, orderName+"="+path)
	cmd.Env = append(os.Environ(), "TMPDIR="+roomFor(t, memory))
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte(passed)) {
		t.Fatalf("in User Mode Linux: %v\n%s", err, out)
	}
	if testing.Verbose() {
		t.Logf("%s", out)
	}
}

// roomFor returns a directory for the file that is a guest's memory: this
// machine's memory if that has the room and lets programs run, and else a disk.
// Most containers have neither room nor leave there.
func roomFor(t *testing.T, size uint64) string {
	const shared = "/dev/shm"
	var fs unix.Statfs_t
	if err := unix.Statfs(shared, &fs); err == nil && fs.Flags&unix.ST_NOEXEC == 0 && fs.Bavail*uint64(fs.Bsize) >= size {
		return shared
	}
	return t.TempDir()
}

// build builds the tests anew: what looks for races needs more address space
// than a guest has.
func build(t *testing.T, path string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", path, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building tests: %v\n%s", err, out)
	}
}

// Inside returns the directory of the files that Run was given; "" outside.
func Inside() string { return os.Getenv(insideName) }

const (
	insideName = "SVC_TEST_UML_FILES"
	insideDir  = "/run/files"
)

// MainIfAsked is the whole life of a guest when this process is its first one.
func MainIfAsked() {
	path := os.Getenv(orderName)
	if path == "" || os.Getpid() != 1 {
		return
	}
	if err := guest(path); err != nil {
		fmt.Println("umltest:", err)
	} else {
		fmt.Println(passed)
	}
	fmt.Println("umltest:", unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)) // it does not return
}

// guest makes the machine ready and runs the tests.
func guest(path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading order: %w", err)
	}
	var o order
	if err := json.Unmarshal(raw, &o); err != nil {
		return fmt.Errorf("decoding order: %w", err)
	}
	// /tmp last: the files may be there.
	if err := mount("proc", "/proc", "sysfs", "/sys", "cgroup2", "/sys/fs/cgroup", "securityfs", "/sys/kernel/security", "devtmpfs", "/dev", "tmpfs", "/run"); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(Group), "cgroup.subtree_control"), []byte("+memory +pids +cpu"), 0); err != nil {
		return fmt.Errorf("delegating controllers: %w", err)
	}
	for _, dir := range []string{Group, insideDir} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return fmt.Errorf("making directory: %w", err)
		}
	}
	for _, from := range o.Files {
		if err := take(from); err != nil {
			return err
		}
	}
	if err := mount("tmpfs", "/tmp"); err != nil {
		return err
	}
	return run(filepath.Join(insideDir, filepath.Base(o.Files[len(o.Files)-1])), o)
}

// mount mounts file systems, each named by its kind and place.
func mount(pairs ...string) error {
	for len(pairs) > 0 {
		kind, at := pairs[0], pairs[1]
		// The kernel may have done it, or not have what nothing here insists on.
		err := unix.Mount(kind, at, kind, 0, "")
		if err != nil && !errors.Is(err, unix.EBUSY) && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("mounting %s: %w", at, err)
		}
		pairs = pairs[2:]
	}
	return nil
}

// take copies a program.
func take(from string) error {
	raw, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("reading file: %w", err)
	}
	return os.WriteFile(filepath.Join(insideDir, filepath.Base(from)), raw, 0o755)
}

// run runs the tests, and collects what they leave behind as a first process
// must.
func run(tests string, o order) error {
	child, err := os.StartProcess(tests, []string{tests, "-test.v", "-test.run", o.Tests}, &os.ProcAttr{
		Dir: "/tmp", Env: append(o.Env, insideName+"="+insideDir, "HOME=/tmp", "TMPDIR=/tmp"), Files: []*os.File{nil, os.Stdout, os.Stdout},
	})
	if err != nil {
		return fmt.Errorf("starting tests: %w", err)
	}
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return fmt.Errorf("waiting for tests: %w", err)
		case pid == child.Pid && status.ExitStatus() != 0:
			return fmt.Errorf("the tests ended with exit code %d", status.ExitStatus())
		case pid == child.Pid:
			return nil
		}
	}
}
