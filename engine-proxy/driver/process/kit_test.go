package process

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/drivertest"
	"github.com/svc-games/svc/engine-proxy/driver/process/vmtest"
	"github.com/svc-games/svc/engine-proxy/internal/sidebyside"
	"github.com/svc-games/svc/test/child"
	"github.com/svc-games/svc/test/programs"
)

// kit is what tests of this package make drivers of.
type kit struct {
	root   string // stands for a data directory
	engine string
	shim   string
}

// Environment of a run of this test binary as another user, who can't build.
const (
	envUnprivileged = "SVC_TEST_UNPRIVILEGED" // directory of the built programs; that of a guest is vmtest.Inside
	nobody          = 65534
)

func newKit(t *testing.T) kit {
	t.Helper()
	k := kit{root: drivertest.TempDir(t)}
	if built := cmp.Or(os.Getenv(envUnprivileged), vmtest.Inside()); built != "" {
		k.engine, k.shim = filepath.Join(built, "fakeengine"), filepath.Join(built, "svc-shim")
		return k
	}
	k.engine, k.shim = drivertest.BuildEngine(t), programs.Build(t, "cmd/svc-shim")
	return k
}

func TestMain(m *testing.M) {
	vmtest.MainIfAsked()
	if os.Getenv(envDeaf) != "" {
		fmt.Fprintln(os.Stderr, deafen())
		os.Exit(1)
	}
	sidebyside.Allow(2)
	unix.Umask(0o022) // whoever runs the tests: other users are to enter their directories
	os.Exit(m.Run())
}

// driver returns a new driver without memory.
func (k kit) driver(t *testing.T, change ...func(*Options)) *Driver {
	t.Helper()
	opts := Options{
		StateRoot: filepath.Join(k.root, "engines"), Command: []string{k.engine}, Shim: k.shim, LogBytes: logLimit,
		Limits: driver.Limits{PIDs: pidLimit},
	}
	for _, f := range change {
		f(&opts)
	}
	must(t, os.MkdirAll(opts.StateRoot, 0o700))
	d, err := New(opts)
	must(t, err)
	return d
}

// rerun runs tests of this binary as another user, or as ours.
func (k kit) rerun(t *testing.T, uid int, tests string, env ...string) {
	t.Helper()
	dir := drivertest.TempDir(t)
	self, err := os.Executable()
	must(t, err)
	for name, from := range map[string]string{"tests": self, "fakeengine": k.engine, "svc-shim": k.shim} {
		copyFile(t, filepath.Join(dir, name), from, 0o755)
	}
	home := filepath.Join(dir, "home")
	must(t, os.Mkdir(home, 0o700))
	must(t, os.Chown(home, uid, uid))
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "tests"), "-test.run", tests, "-test.v")
	cmd.Dir = home
	cmd.Env = append([]string{
		envUnprivileged + "=" + dir, "HOME=" + home, "TMPDIR=/tmp", "PATH=" + os.Getenv("PATH"), "CI=" + os.Getenv("CI"),
	}, env...)
	if uid != os.Geteuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := errors.Join(child.Start(cmd), cmd.Wait()); err != nil || !strings.Contains(out.String(), "--- PASS: Test") {
		t.Fatalf("as user %d: %v\n%s", uid, err, &out)
	}
	if testing.Verbose() {
		t.Logf("%s", &out)
	}
}

// copyFile copies a file by another program. One that we write ourselves is also
// open in whatever another test is just starting, and can't be run until that has
// become what it is to be.
func copyFile(t *testing.T, to, from string, mode os.FileMode) {
	t.Helper()
	if out, err := exec.Command("install", "-m", fmt.Sprintf("%04o", mode), from, to).CombinedOutput(); err != nil {
		t.Fatalf("copying %s: %v\n%s", from, err, out)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// mostFiles is how many files the tests may have open, and so their engines.
func mostFiles(t *testing.T) int {
	t.Helper()
	var limit unix.Rlimit
	must(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &limit))
	return int(min(limit.Max, 1<<30))
}
