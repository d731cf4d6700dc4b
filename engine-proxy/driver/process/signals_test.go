package process

import (
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/engine-proxy/driver/drivertest"
	"github.com/svc-games/svc/test/fake/engine/orders"
	"github.com/svc-games/svc/test/long"
)

// envDeaf has a run of this test binary begin as below a parent that ignores
// and blocks signals.
const envDeaf = "SVC_TEST_DEAF"

// deafSignals are ignored and blocked there: what nohup and CI's runners do, and
// what the Go runtime does not mend by itself.
var deafSignals = []syscall.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGTERM, unix.SIGCHLD, unix.SIGTSTP, unix.SIGTTOU, 34, 40, 64}

// deafen runs this binary again with deafSignals ignored and blocked.
func deafen() error {
	runtime.LockOSThread()
	var blocked unix.Sigset_t
	for _, n := range deafSignals {
		ignore := [8]uint64{1} // SIG_IGN
		if _, _, e := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(n), uintptr(unsafe.Pointer(&ignore)), 0, 8, 0, 0); e != 0 {
			return e
		}
		blocked.Val[0] |= 1 << (n - 1)
	}
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, &blocked, nil); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.Unsetenv(envDeaf); err != nil {
		return err
	}
	return syscall.Exec(self, os.Args, os.Environ())
}

// As started by a runner that ignores signals, the tests of shims prove what
// they prove elsewhere.
func TestSignalsThatAParentIgnoresReachTheEngineAllTheSame(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.rerun(t, os.Geteuid(), "^TestShim.*$", envDeaf+"=1")
	if isRoot(t) && long.Asked() {
		k.rerun(t, nobody, "^TestShim.*$", envDeaf+"=1")
	}
}

func TestShimLeavesTheEngineNoSignalIgnoredOrBlocked(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	d, s := k.driver(t), drivertest.NewSpec(t, k.root)
	begin(t, d, s, orders.Orders{})
	report, err := orders.ReadReport(s.Volume)
	must(t, err)
	if ignored := report.Status["SigIgn"]; ignored == "" || strings.Trim(ignored, "0") != "" {
		t.Errorf("the engine ignores signals %q", ignored)
	}
	if report.Blocked != 0 {
		t.Errorf("the engine blocks signals %x", report.Blocked)
	}
}
