package child

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/svc-games/svc/test/wait"
)

// envParent has this test binary start a program, say which, and wait to be killed.
const envParent = "SVC_TEST_PARENT"

func TestMain(m *testing.M) {
	if os.Getenv(envParent) != "" {
		cmd := exec.Command("sleep", "600")
		if err := Start(cmd); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(cmd.Process.Pid)
		select {}
	}
	os.Exit(m.Run())
}

func TestProgramEndsWithTheTestThatIsKilled(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parent := exec.Command(self)
	parent.Env = append(os.Environ(), envParent+"=1")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := Start(parent); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(line)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // it was killed
	wait.Until(t, "the program ends with who started it", func() bool { return ended(t, pid) })
}

// ended reports whether a process has ended, whoever has yet to learn of it.
func ended(t *testing.T, pid int) bool {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return true
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.HasPrefix(string(stat), fmt.Sprintf("%d (sleep) Z", pid))
}

// A thread that a goroutine held when it ended ends with it.
func TestProgramOutlivesTheThreadThatAskedForIt(t *testing.T) {
	cmd := exec.Command("sh", "-c", "read line")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var asked sync.WaitGroup
	var tid int
	asked.Go(func() {
		runtime.LockOSThread() // for good
		tid = syscall.Gettid()
		if err := Start(cmd); err != nil {
			t.Error(err)
		}
	})
	asked.Wait()
	if t.Failed() {
		return
	}
	wait.Until(t, "the thread ends", func() bool {
		_, err := os.Stat(fmt.Sprintf("/proc/self/task/%d", tid))
		return errors.Is(err, os.ErrNotExist) || tid == os.Getpid() // the first one is kept
	})
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	var status *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &status) || !status.Exited() {
		t.Errorf("it ended with %v, want that it read to the end", err)
	}
}
