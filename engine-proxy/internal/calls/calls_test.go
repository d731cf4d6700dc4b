package calls

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// What is not listed is refused, of whatever age. That a number is new is still
// worth a look: it may be a younger form of what engines are allowed.
func TestEachSystemCallWasLookedAt(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/sys").Output()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "unix", "zsysnum_linux_"+runtime.GOARCH+".go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range regexp.MustCompile(`SYS_(\w+)\s+= (\d+)`).FindAllStringSubmatch(string(source), -1) {
		number, err := strconv.Atoi(found[2])
		if err != nil {
			t.Fatal(err)
		}
		if number >= len(callNames()) || callNames()[number] == "-" {
			t.Errorf("nobody has looked at system call %d, %s: list it in allowed or not, and name it in names", number, strings.ToLower(found[1]))
		}
	}
}

func TestKernelOffersNoSystemCallThatNobodyLookedAt(t *testing.T) {
	const ahead = 64
	newest := len(callNames())
	for number := newest; number < newest+ahead; number++ {
		const nothing = ^uintptr(0)
		_, _, e := unix.RawSyscall6(uintptr(number), nothing, nothing, nothing, nothing, nothing, nothing)
		if e != unix.ENOSYS {
			t.Errorf("this kernel has a system call %d (%v) that nobody has looked at", number, e)
		}
	}
}

// lastFamily is the newest family of sockets that was looked at, AF_MCTP.
const lastFamily = 45

func TestKernelOffersNoSocketThatNobodyLookedAt(t *testing.T) {
	offered := func(family, kind int) bool {
		fd, err := unix.Socket(family, kind, 0)
		if err == nil {
			_ = unix.Close(fd)
		}
		return err == nil || errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES)
	}
	for family := lastFamily + 1; family < lastFamily+32; family++ {
		for kind := 1; kind <= KindMask; kind++ {
			if offered(family, kind) {
				t.Errorf("this kernel has sockets of family %d, kind %d, that nobody has looked at", family, kind)
			}
		}
	}
	known := []int{unix.SOCK_STREAM, unix.SOCK_DGRAM, unix.SOCK_RAW, unix.SOCK_SEQPACKET}
	for kind := 1; kind <= KindMask; kind++ {
		if !slices.Contains(known, kind) && offered(unix.AF_UNIX, kind) {
			t.Errorf("this kernel has Unix sockets of kind %d, that nobody has looked at", kind)
		}
	}
}

func TestEachGroupSaysWhy(t *testing.T) {
	for _, g := range append(slices.Clone(allowed), oldCalls) {
		if g.why == "" || len(g.calls) == 0 {
			t.Errorf("a group of %d system calls says nothing of its reason", len(g.calls))
		}
	}
}
