package calls

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	for _, arch := range machines {
		source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "unix", "zsysnum_linux_"+arch+".go"))
		if err != nil {
			t.Fatal(err)
		}
		looked := tableOf(arch)
		for _, found := range regexp.MustCompile(`SYS_(\w+)\s+= (\d+)`).FindAllStringSubmatch(string(source), -1) {
			name := strings.ToLower(found[1])
			if name == "arch_specific_syscall" {
				continue // the first number of a range that arm64 has no calls in
			}
			number, known := looked[name]
			if !known || strconv.Itoa(int(number)) != found[2] {
				t.Errorf("nobody has looked at system call %s, %s, of %s: list it in listed.txt or not, and name it in names_%[3]s.txt", found[2], name, arch)
			}
		}
	}
}

// machines are those of which there is a table.
var machines = []string{"amd64", "arm64"}

func TestKernelOffersNoSystemCallThatNobodyLookedAt(t *testing.T) {
	const ahead = 64
	newest := 0
	for _, number := range table() {
		newest = max(newest, int(number)+1)
	}
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
	for _, g := range groups() {
		if g.why == "" || len(g.names) == 0 {
			t.Errorf("a group of %d system calls says nothing of its reason", len(g.names))
		}
	}
}

// A misspelt name would be no call's at all.
func TestEachNameIsThatOfASystemCall(t *testing.T) {
	seen := make(map[string]bool)
	for _, g := range groups() {
		if !slices.Contains([]Set{Allowed, OnModes, OnProcess, OnPriority, Absent}, g.set) {
			t.Errorf("the set %q is not known", g.set)
		}
		for _, name := range g.names {
			if !slices.ContainsFunc(machines, func(arch string) bool { _, known := tableOf(arch)[name]; return known }) {
				t.Errorf("no machine has the system call %s", name)
			}
			if seen[name] {
				t.Errorf("%s is listed twice", name)
			}
			seen[name] = true
		}
	}
}
