// Package calls is what engines may ask of the kernel, wherever they run.
package calls

import (
	"cmp"
	"embed"
	"iter"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// files are listed.txt, which says what engines may use and why, and a table of
// each machine's system calls.
//
//go:embed listed.txt names_*.txt
var files embed.FS

// Set is what is done with the system calls of some groups of listed.txt.
type Set string

// The sets.
const (
	Allowed Set = "allowed"
	// OnModes change the mode, the owner or the times of a file by its name.
	OnModes Set = "on-modes"
	// OnProcess change what the process named by their first argument may use; 0
	// is the caller.
	OnProcess Set = "on-process"
	// OnPriority change priorities.
	OnPriority Set = "on-priority"
	// Absent are system calls of which programs know that a kernel may not have
	// them, and which they try first: they are not worth a word.
	Absent Set = "absent"
)

// group is system calls that programs need for one purpose.
type group struct {
	set   Set
	why   string
	names []string
}

// groups are those of listed.txt.
var groups = sync.OnceValue(func() (all []group) {
	for line := range lines("listed.txt") {
		if strings.HasPrefix(line, "\t") {
			last := &all[len(all)-1]
			last.names = append(last.names, strings.Fields(line)...)
			continue
		}
		set, why, _ := strings.Cut(line, ": ")
		all = append(all, group{set: Set(set), why: why})
	}
	return all
})

// table are the numbers of this machine's system calls that were looked at, by
// name; it is empty for a machine of another kind.
var table = sync.OnceValue(func() map[string]uint32 { return tableOf(runtime.GOARCH) })

func tableOf(arch string) map[string]uint32 {
	numbers := make(map[string]uint32)
	for line := range lines("names_" + arch + ".txt") {
		text, name, _ := strings.Cut(line, " ")
		number, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			panic(err) // the tables are read by this package's tests
		}
		numbers[name] = uint32(number)
	}
	return numbers
}

// lines are those of a file that say something, none of one that is not there.
func lines(file string) iter.Seq[string] {
	return func(yield func(string) bool) {
		text, _ := files.ReadFile(file)
		for line := range strings.Lines(string(text)) {
			line = strings.TrimRight(line, "\n")
			if line != "" && line[0] != '#' && !yield(line) {
				return
			}
		}
	}
}

// Names are those of the set's system calls that this machine has.
func (s Set) Names() []string {
	var names []string
	for _, g := range groups() {
		for _, name := range g.names {
			if _, here := table()[name]; here && g.set == s {
				names = append(names, name)
			}
		}
	}
	if s == Allowed { // those with the first numbers are used most
		slices.SortFunc(names, func(a, b string) int { return cmp.Compare(table()[a], table()[b]) })
	}
	return names
}

// Numbers are those of Names.
func (s Set) Numbers() []uint32 {
	var numbers []uint32
	for _, name := range s.Names() {
		numbers = append(numbers, table()[name])
	}
	return numbers
}

// Name returns the name of a system call, or its number.
func Name(number int) string {
	for name, n := range table() {
		if int(n) == number {
			return name
		}
	}
	return strconv.Itoa(number)
}

// Requests of ioctl. Which devices there are Landlock says.
var Requests = []uint32{
	unix.TCGETS,  // is it a terminal?
	0x541b,       // FIONREAD: how much is there to read?
	0x5421,       // FIONBIO
	0x5451,       // FIOCLEX
	unix.FICLONE, // a copy of a file on the same disk
}

// Options of prctl, none of which reaches beyond the caller.
var Options = []uint32{
	unix.PR_GET_DUMPABLE, unix.PR_SET_DUMPABLE, unix.PR_GET_NAME, unix.PR_SET_NAME, unix.PR_GET_PDEATHSIG, unix.PR_SET_PDEATHSIG,
	unix.PR_GET_NO_NEW_PRIVS, unix.PR_SET_NO_NEW_PRIVS, unix.PR_GET_SECCOMP, unix.PR_CAPBSET_READ, unix.PR_GET_TIMERSLACK,
	unix.PR_SET_TIMERSLACK, unix.PR_SET_VMA, unix.PR_GET_TID_ADDRESS, unix.PR_GET_CHILD_SUBREAPER,
}

// Family and Kinds of sockets: those of files, whose peers are a guard's to
// allow. One for datagrams needs no connection, and so no guard sees whom it
// sends to.
const Family = unix.AF_UNIX

var Kinds = []uint32{unix.SOCK_STREAM, unix.SOCK_SEQPACKET}

// KindMask is the part of a socket's type that is no flag (SOCK_TYPE_MASK).
const KindMask = 0xf

// NeverRun is the flag of memfd_create for memory that nothing makes executable
// again (MFD_NOEXEC_SEAL). A kernel before 6.3 does not know it, and then programs
// do without.
const NeverRun = 0x8

// Namespaces are the flags of clone that make namespaces.
const Namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
