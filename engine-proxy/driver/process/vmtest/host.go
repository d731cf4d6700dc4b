// Package vmtest runs tests in a machine of their own: QEMU, which emulates the
// processor and needs no right, with Debian's kernel. That machine delegates a
// whole hierarchy of control groups of version 2, which few that run tests do.
package vmtest

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/svc-games/svc/test/need"
	"github.com/svc-games/svc/test/wait"
)

const (
	emulator = "qemu-system-x86_64" // of Debian's package qemu-system-x86
	busybox  = "/bin/busybox"       // of Debian's package busybox-static
	// kernelFile is where scripts/deps puts the kernel, from Debian's package
	// linux-image-cloud-amd64, which is not installed: it would become this
	// machine's.
	kernelFile = "vmlinuz"

	ordersFile = "/orders" // in the guest
	filesDir   = "/files"  // in the guest
	testsFile  = filesDir + "/tests"
	passed     = "vmtest: the tests have passed"
)

// orders say what a guest is to do.
type orders struct {
	Tests string // regular expression
	Env   []string
}

// patience is how long a guest may take on a busy machine.
const patience = 10 * time.Minute

// Run runs tests of the package under test in a guest, as root. The programs
// are taken along, and need no other files. The package's TestMain must begin
// with MainIfAsked.
func Run(t *testing.T, tests string, programs ...string) {
	t.Helper()
	if runtime.GOARCH != "amd64" {
		t.Skip("the kernel for guests is that of amd64")
	}
	kernel := kernel(t)
	ctx, cancel := wait.Within(t.Context(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, emulator, "-machine", "accel=tcg", "-smp", "2", "-m", "1024", "-nic", "none",
		"-display", "none", "-monitor", "none", "-serial", "stdio", "-no-reboot",
		"-kernel", kernel, "-initrd", image(t, orders{Tests: tests, Env: []string{"CI=" + os.Getenv("CI")}}, programs),
		"-append", "console=ttyS0 quiet panic=-1 oops=panic").CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte(passed)) {
		t.Fatalf("in a machine of its own: %v\n%s", err, out)
	}
	if testing.Verbose() {
		t.Logf("%s", out)
	}
}

// kernel returns the path of the guests' kernel, and sees to it that what else
// they need is there.
func kernel(t *testing.T) string {
	t.Helper()
	path := filepath.Join(os.Getenv("SVC_BIN"), kernelFile)
	_, err := exec.LookPath(emulator)
	if err == nil {
		_, err = os.Stat(busybox)
	}
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		need.Missing(t, "what guests need is missing, run \"scripts/deps long\" and set SVC_BIN to its bin/: %v", err)
	}
	return path
}

// image makes the guest's file system, which is in its memory.
func image(t *testing.T, o orders, programs []string) string {
	t.Helper()
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	for _, folder := range []string{"bin", "dev", "files", "proc", "run", "sys", "tmp"} {
		must(t, os.MkdirAll(filepath.Join(root, folder), 0o755))
	}
	raw, err := json.Marshal(o)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(root, ordersFile), raw, 0o600))
	// What looks for races needs cgo's libraries: the tests are built anew.
	run(t, dir, "CGO_ENABLED=0", "go", "test", "-c", "-o", filepath.Join(root, testsFile), ".")
	must(t, os.Symlink(testsFile, filepath.Join(root, "init")))
	run(t, dir, "", "cp", busybox, filepath.Join(root, "bin"))
	for _, program := range programs {
		run(t, dir, "", "cp", program, filepath.Join(root, filesDir))
	}
	run(t, root, "", "sh", "-c", "find . | "+busybox+" cpio -o -H newc >../image")
	return filepath.Join(dir, "image")
}

// run runs a command; but for go, which is at home in the package under test, in
// a directory.
func run(t *testing.T, dir, env string, command ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	if command[0] != "go" {
		cmd.Dir = dir
	}
	cmd.Env = append(os.Environ(), env)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, out)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
