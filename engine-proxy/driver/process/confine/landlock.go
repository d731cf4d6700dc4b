package confine

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What a rule may allow.
const (
	readFile = unix.LANDLOCK_ACCESS_FS_READ_FILE
	readDir  = unix.LANDLOCK_ACCESS_FS_READ_DIR
	run      = unix.LANDLOCK_ACCESS_FS_EXECUTE
	change   = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	arrange  = unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SYM |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_REFER
	devices = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK

	// onFiles are the rights that a rule on a file may have.
	onFiles = readFile | run | change | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// Versions of the interface from which on more can be forbidden.
const (
	abiRefer    = 2
	abiTruncate = 3
	abiTCP      = 4
	abiIoctl    = 5
	abiScopes   = 6
)

// LandlockWhole is the version of Landlock from which on nothing that counts here
// is left out: files, signals, and Unix sockets without a file.
const LandlockWhole = abiScopes

func landlockABI() int {
	v, _, e := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if e != 0 {
		return 0
	}
	return int(v)
}

// ruleset is a Landlock ruleset that forbids all that this kernel can, but for
// its rules.
type ruleset struct {
	fd      int
	handled uint64
}

func newRuleset(files Files) (_ *ruleset, err error) {
	abi := landlockABI()
	if abi == 0 {
		return nil, errors.New("this kernel has no Landlock")
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: readFile | readDir | run | arrange | devices | change}
	if abi < abiRefer {
		attr.Handled_access_fs &^= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi < abiTruncate {
		attr.Handled_access_fs &^= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= abiTCP {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if abi >= abiIoctl {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= abiScopes {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	// The fields up to Scoped; a kernel that knows fewer wants the others zero.
	const size = unsafe.Offsetof(attr.Scoped) + unsafe.Sizeof(attr.Scoped)
	fd, _, e := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if e != 0 {
		return nil, fmt.Errorf("making ruleset: %w", e)
	}
	r := &ruleset{fd: int(fd), handled: attr.Handled_access_fs}
	defer func() {
		if err != nil {
			r.close()
		}
	}()
	return r, files.each(rights{
		own:      readFile | readDir | change | arrange,
		readable: readFile | readDir,
		programs: readFile | readDir | run,
		devices:  readFile | change,
	}, r.allow)
}

func (r *ruleset) allow(path string, access uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("opening %s: %w", path, err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("looking at %s: %w", path, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= onFiles
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: access & r.handled, Parent_fd: int32(fd)}
	_, _, e := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(r.fd), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if e != 0 {
		return fmt.Errorf("allowing %s: %w", path, e)
	}
	return nil
}

// restrict applies the rules to the calling thread.
func (r *ruleset) restrict() error {
	if _, _, e := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(r.fd), 0, 0); e != 0 {
		return fmt.Errorf("applying ruleset: %w", e)
	}
	return nil
}

func (r *ruleset) close() { _ = unix.Close(r.fd) }
