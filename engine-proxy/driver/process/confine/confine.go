// Package confine takes from the calling thread, and so from the program that
// it runs next, what a program that nobody trusts does not need: files,
// network, privileges. What was taken never comes back.
//
// The caller must be locked to its thread, and do nothing after Thread but
// execve.
package confine

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// Options of Thread.
type Options struct {
	// UID and GID are who the program runs as; 0 is who we are.
	UID, GID int
	// Files, unless nil, is all that the program may open.
	Files *Files
	// Landlock keeps all but Files from it.
	Landlock bool
	// OwnRoot leaves it a root that holds nothing but Files. The caller is in
	// Namespaces.
	OwnRoot bool
	// Dir is where the program begins.
	Dir string
	// SharedUser says that others run as the program's user, in reach of it. What
	// Landlock does not guard is then kept from it: modes and attributes of files,
	// limits and priorities of processes. Changing a mode by a file's name
	// succeeds, and changes nothing.
	SharedUser bool
}

// Files are the paths a program may open. A directory stands for all in it.
type Files struct {
	Own      []string // read, write, make and delete; nothing there can be run
	Readable []string // read
	Programs []string // read and run
	Devices  []string // read and write; missing ones are left out
}

// rights are what a program may do with each kind of Files, in one of the
// kernel's ways of saying it.
type rights struct{ own, readable, programs, devices uint64 }

// each calls allow for every path.
func (f Files) each(r rights, allow func(path string, rights uint64) error) error {
	for _, kind := range []struct {
		paths    []string
		rights   uint64
		optional bool
	}{{f.Own, r.own, false}, {f.Readable, r.readable, false}, {f.Programs, r.programs, false}, {f.Devices, r.devices, true}} {
		for _, path := range kind.paths {
			if err := allow(path, kind.rights); err != nil && !(kind.optional && errors.Is(err, os.ErrNotExist)) {
				return err
			}
		}
	}
	return nil
}

// Available says what of it this machine offers.
type Available struct {
	// Users: programs can be given another user.
	Users bool
	// Landlock is the version of Landlock's interface, 0 for none. 1 keeps
	// files, 4 TCP as well, 6 abstract Unix sockets and signals as well.
	Landlock int
	// Seccomp: a program can be left a list of system calls.
	Seccomp bool
	// Namespaces says how programs get a root and namespaces of their own.
	Namespaces Right
}

// Right is what lets us make namespaces.
type Right string

// Rights.
const (
	NoRight Right = ""               // none does
	ByAdmin Right = "CAP_SYS_ADMIN"  // a privilege of ours
	ByUser  Right = "user namespace" // what any user may do here
)

// Look finds out what this machine offers, but for Namespaces, which are there
// when they have been made (package shim).
func Look() Available {
	return Available{Users: os.Geteuid() == 0, Landlock: landlockABI(), Seccomp: seccompAvailable()}
}

// Thread confines the calling thread, and with OwnRoot its process. Who reads
// from listener is asked about each attempt to connect, and about each system
// call that is not listed; it is -1 where nothing can be asked, and both are
// refused. execve closes it.
func Thread(o Options) (listener int, err error) {
	runtime.LockOSThread()
	if o.OwnRoot {
		if err := enterRoot(*o.Files); err != nil {
			return -1, fmt.Errorf("entering a root of its own: %w", err)
		}
	}
	if err := os.Chdir(o.Dir); err != nil {
		return -1, fmt.Errorf("entering working directory: %w", err)
	}
	var rules *ruleset
	if o.Landlock {
		// As the user that we are, who may look at all the paths.
		if rules, err = newRuleset(*o.Files); err != nil {
			return -1, fmt.Errorf("confining files: %w", err)
		}
		defer rules.close()
	}
	if err := DropPrivileges(o.UID, o.GID); err != nil {
		return -1, fmt.Errorf("dropping privileges: %w", err)
	}
	if rules != nil {
		if err := rules.restrict(); err != nil {
			return -1, fmt.Errorf("confining files: %w", err)
		}
	}
	if listener, err = filterSyscalls(o.SharedUser); err != nil {
		return -1, fmt.Errorf("confining system calls: %w", err)
	}
	return listener, nil
}

// lastCapability is above all that kernels know.
const lastCapability = 63

// DropPrivileges is the part of Thread that becomes another user, 0 for the one
// we are, and leaves no capability nor a way to one.
func DropPrivileges(uid, gid int) error {
	// Without CAP_SETPCAP the bounding set stays; no_new_privs, below, makes
	// it worth nothing.
	for c := uintptr(0); c <= lastCapability; c++ {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.EPERM) {
			return fmt.Errorf("dropping capability %d: %w", c, err)
		}
	}
	if uid != 0 {
		// The wrappers of package syscall change all threads, these one.
		if _, _, e := unix.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0); e != 0 {
			return fmt.Errorf("leaving groups: %w", e)
		}
		if _, _, e := unix.RawSyscall(unix.SYS_SETRESGID, uintptr(gid), uintptr(gid), uintptr(gid)); e != 0 {
			return fmt.Errorf("changing group: %w", e)
		}
		if _, _, e := unix.RawSyscall(unix.SYS_SETRESUID, uintptr(uid), uintptr(uid), uintptr(uid)); e != 0 {
			return fmt.Errorf("changing user: %w", e)
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("clearing ambient capabilities: %w", err)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("clearing capabilities: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("forbidding new privileges: %w", err)
	}
	return nil
}
