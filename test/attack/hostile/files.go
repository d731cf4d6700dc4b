package hostile

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// here is AT_FDCWD as an argument.
var here = ^uintptr(99)

// Numbers that this machine's libraries may not know yet.
const (
	sysSetxattrat  = 463
	sysFileSetattr = 469
)

// ownerOnly is an access list that leaves a file to nobody.
func ownerOnly() []byte {
	const version, userObj, groupObj, other, noID = 2, 0x01, 0x04, 0x20, 0xffffffff
	acl := binary.LittleEndian.AppendUint32(nil, version)
	for _, tag := range []uint16{userObj, groupObj, other} {
		acl = binary.LittleEndian.AppendUint16(acl, tag)
		acl = binary.LittleEndian.AppendUint16(acl, 0)
		acl = binary.LittleEndian.AppendUint32(acl, noID)
	}
	return acl
}

// aclName is the attribute that is a file's mode by another name.
const aclName = "system.posix_acl_access"

// onFiles are attempts on a file that is not the engine's.
var onFiles = map[string]func(string) error{
	"read it": func(path string) error { _, err := os.ReadFile(path); return err },
	"list its folder": func(path string) error {
		_, err := os.ReadDir(filepath.Dir(path))
		return err
	},
	"look at it": func(path string) error { _, err := os.Stat(path); return err },
	"write to it": func(path string) error {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		return f.Close()
	},
	"empty it":              func(path string) error { return os.Truncate(path, 0) },
	"remove it":             func(path string) error { return os.Remove(path) },
	"rename it":             func(path string) error { return os.Rename(path, path+".moved") },
	"link it":               func(path string) error { return os.Link(path, "hard-link") },
	"read it by a link":     func(path string) error { return throughLink(path) },
	"change its mode":       func(path string) error { return os.Chmod(path, 0o777) },
	"change its owner":      func(path string) error { return os.Chown(path, os.Getuid(), os.Getgid()) },
	"change its times":      func(path string) error { return unix.UtimesNanoAt(unix.AT_FDCWD, path, make([]unix.Timespec, 2), 0) },
	"change its access":     func(path string) error { return unix.Setxattr(path, aclName, ownerOnly(), 0) },
	"change its link's":     func(path string) error { return unix.Lsetxattr(path, aclName, ownerOnly(), 0) },
	"change its access at":  func(path string) error { return setxattrat(path) },
	"remove its access":     func(path string) error { return unix.Removexattr(path, aclName) },
	"read its attributes":   func(path string) error { _, err := unix.Getxattr(path, aclName, make([]byte, 100)); return known(err) },
	"watch it":              watch,
	"watch all":             calls(unix.SYS_FANOTIFY_INIT, 0, 0),
	"open it by its handle": byHandle,
	"set its flags": onPath(sysFileSetattr, func(path uintptr) []uintptr {
		var attr [24]byte
		return []uintptr{here, path, pointer(&attr), uintptr(len(attr)), 0}
	}),
	"make a device": func(string) error { return unix.Mknod("device", unix.S_IFBLK|0o600, int(unix.Mkdev(259, 0))) },
	"mount over it": func(path string) error { return unix.Mount("none", filepath.Dir(path), "tmpfs", 0, "") },
	"clone its mount": func(path string) error {
		_, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE)
		return err
	},
	"make a mount":    func(string) error { _, err := unix.Fsopen("tmpfs", 0); return err },
	"change root":     func(string) error { return unix.Chroot("/") },
	"turn root":       calls(unix.SYS_PIVOT_ROOT, 0, 0),
	"count its disk":  calls(unix.SYS_QUOTACTL, 0, 0, 0, 0),
	"rewrite the log": rewriteLog,
}

// throughLink follows a link of its own.
func throughLink(path string) error {
	const link = "soft-link"
	_ = os.Remove(link)
	if err := os.Symlink(path, link); err != nil {
		return err
	}
	_, err := os.ReadFile(link)
	return err
}

func setxattrat(path string) error {
	acl := ownerOnly()
	name, keep := text(aclName)
	defer keep()
	args := struct {
		value uint64
		size  uint32
		flags uint32
	}{uint64(pointer(&acl[0])), uint32(len(acl)), 0}
	return onPath(sysSetxattrat, func(path uintptr) []uintptr {
		return []uintptr{here, path, 0, name, pointer(&args), 16}
	})(path)
}

// known takes a file without the attribute for one whose attributes are seen.
func known(err error) error {
	if errors.Is(err, unix.ENODATA) || errors.Is(err, unix.EOPNOTSUPP) {
		return nil
	}
	return err
}

func watch(path string) error {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	_, err = unix.InotifyAddWatch(fd, path, unix.IN_ALL_EVENTS)
	return err
}

func byHandle(path string) error {
	handle, mount, err := unix.NameToHandleAt(unix.AT_FDCWD, path, 0)
	if err != nil {
		return err
	}
	fd, err := unix.OpenByHandleAt(mount, handle, unix.O_RDONLY)
	if err == nil {
		err = unix.Close(fd)
	}
	return err
}

// rewriteLog empties what the engine has said.
func rewriteLog(string) error {
	const said = "/proc/self/fd/1"
	to, err := os.Readlink(said)
	if err != nil {
		return err
	}
	if strings.HasPrefix(to, "pipe:") {
		return errors.New("it is a pipe")
	}
	f, err := os.OpenFile(said, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return syscall.Ftruncate(1, 0)
	}
	return f.Close()
}
