package procfs

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/test/wait"
)

// envHeadless has this test binary run as a program whose first thread ends.
const envHeadless = "SVC_TEST_HEADLESS"

func TestMain(m *testing.M) {
	if os.Getenv(envHeadless) != "" {
		headless()
	}
	os.Exit(m.Run())
}

func init() { runtime.LockOSThread() } // main, and so headless, is on the first thread

func headless() {
	go func() {
		for {
			if st, err := ReadStat(os.Getpid()); err == nil && st.State == 'Z' {
				break
			}
			time.Sleep(time.Millisecond)
		}
		fmt.Println("the first thread has ended")
		select {}
	}()
	_, _, _ = unix.Syscall(unix.SYS_EXIT, 0, 0, 0) // of the thread alone
}

// An engine could hide this way from those who end what it has left behind.
func TestProcessWhoseFirstThreadHasEndedIsNotDead(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), envHeadless+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	st, err := ReadStat(cmd.Process.Pid)
	if err != nil || st.State != 'Z' || st.Dead() {
		t.Errorf("a process that runs on: %+v, %v, dead: %t", st, err, st.Dead())
	}
	Kill(cmd.Process.Pid, st.StartTicks)
	wait.Until(t, "killed and not reaped it is dead", func() bool {
		if st, err = ReadStat(cmd.Process.Pid); err != nil {
			t.Fatal(err)
		}
		return st.Dead()
	})
	if err := cmd.Wait(); err == nil {
		t.Error("it was not killed")
	}
	if _, err := ReadStat(cmd.Process.Pid); !Gone(err) {
		t.Errorf("after it was reaped: %v", err)
	}
}

func TestProcessThatSleepsDoesNotComputeAndOneWhoseChildSpinsDoes(t *testing.T) {
	for script, want := range map[string]bool{
		"sleep 600 & wait":                false,
		"(while :; do :; done) & wait":    true,
		"sh -c 'sleep 600 & wait' & wait": false,
	} {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
			_ = cmd.Wait() // it was killed
		})
		// Until it has come to what it does, and then for a while.
		looks := 0
		wait.Until(t, fmt.Sprintf("%s: it is told that it computes: %t", script, want), func() bool {
			got, err := Computes(cmd.Process.Pid)
			if err != nil {
				t.Fatal(err)
			}
			looks++
			if got != want {
				looks = 0
			}
			return looks == 20
		})
	}
	if _, err := Computes(1 << 30); !Gone(err) {
		t.Errorf("a process that is not there: %v", err)
	}
}
