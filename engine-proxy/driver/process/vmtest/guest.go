package vmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Group is the group that is delegated to the tests in a guest. It holds no
// process.
const Group = "/sys/fs/cgroup/svc"

const insideName = "SVC_TEST_GUEST" // in the environment of the tests in a guest

// Inside returns the directory of the files that Run was given; "" outside.
func Inside() string {
	if os.Getenv(insideName) == "" {
		return ""
	}
	return filesDir
}

// MainIfAsked is the whole life of a guest when this process is its first one.
func MainIfAsked() {
	if os.Getpid() != 1 || os.Args[0] != "/init" {
		return
	}
	if err := guest(); err != nil {
		fmt.Println("vmtest:", err)
	} else {
		fmt.Println(passed)
	}
	fmt.Println("vmtest:", unix.Reboot(unix.LINUX_REBOOT_CMD_RESTART)) // it does not return; the emulator ends
}

// guest makes the machine ready and runs the tests.
func guest() error {
	raw, err := os.ReadFile(ordersFile)
	if err != nil {
		return fmt.Errorf("reading orders: %w", err)
	}
	var o orders
	if err := json.Unmarshal(raw, &o); err != nil {
		return fmt.Errorf("decoding orders: %w", err)
	}
	if err := mount("proc", "/proc", "sysfs", "/sys", "cgroup2", "/sys/fs/cgroup", "securityfs", "/sys/kernel/security",
		"devtmpfs", "/dev", "tmpfs", "/run", "tmpfs", "/tmp"); err != nil {
		return err
	}
	if out, err := exec.Command(busybox, "--install", "-s", "/bin").CombinedOutput(); err != nil {
		return fmt.Errorf("installing programs: %w: %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(Group), "cgroup.subtree_control"), []byte("+memory +pids +cpu"), 0); err != nil {
		return fmt.Errorf("delegating controllers: %w", err)
	}
	if err := os.Mkdir(Group, 0o755); err != nil {
		return fmt.Errorf("making group: %w", err)
	}
	return runTests(o)
}

// mount mounts file systems, each named by its kind and place.
func mount(pairs ...string) error {
	for len(pairs) > 0 {
		kind, at := pairs[0], pairs[1]
		if err := unix.Mount(kind, at, kind, 0, ""); err != nil {
			return fmt.Errorf("mounting %s: %w", at, err)
		}
		pairs = pairs[2:]
	}
	return nil
}

// runTests runs the tests, and collects what they leave behind as a first process
// must.
func runTests(o orders) error {
	child, err := os.StartProcess(testsFile, []string{testsFile, "-test.v", "-test.run", o.Tests}, &os.ProcAttr{
		Dir: "/tmp", Env: append(o.Env, insideName+"=1", "HOME=/tmp", "TMPDIR=/tmp", "PATH=/bin"), Files: []*os.File{nil, os.Stdout, os.Stdout},
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
