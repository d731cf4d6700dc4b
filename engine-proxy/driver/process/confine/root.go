package confine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Namespaces are what a program with a root of its own is started in, beside a
// namespace of processes, which the one that waits for it makes.
const Namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWNET

// hostName is what a program with a root of its own takes the machine for.
const hostName = "engine"

// enterRoot leaves the calling process a file system that holds the paths of
// files, under their names, and the processes of its own namespace; a loopback
// device that nobody else has; and a host name that says nothing. It must be in
// Namespaces, and its parent in a namespace of processes of its own.
//
// An engine writes to its own directories alone, and nothing there can be run.
func enterRoot(files Files) (err error) {
	if err := unix.Sethostname([]byte(hostName)); err != nil {
		return fmt.Errorf("naming host: %w", err)
	}
	if err := loopbackUp(); err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("leaving the machine's mounts: %w", err)
	}
	var tree tree
	defer tree.close()
	const read = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_RDONLY
	err = files.each(rights{
		own:      unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_NOEXEC,
		readable: read | unix.MOUNT_ATTR_NOEXEC,
		programs: read,
		devices:  unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NOEXEC,
	}, tree.add)
	if err != nil {
		return err
	}
	fd, err := Processes()
	if err != nil {
		return err
	}
	tree.parts = append(tree.parts, part{path: processes, fd: fd, dir: true})
	// All of it is held by descriptors: what is mounted over is reached no more.
	return tree.enter(files.Own[0])
}

// loopbackUp starts the loopback device of a new namespace.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("starting loopback: %w", err)
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return fmt.Errorf("starting loopback: %w", err)
	}
	request.SetUint16(unix.IFF_UP)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request); err != nil {
		return fmt.Errorf("starting loopback: %w", err)
	}
	return nil
}

// processes is where the kernel tells of processes.
const processes = "/proc"

// tree is a root in the making.
type tree struct {
	parts []part
	links map[string]string // what links that lead to the parts hold
}

// part is a mount that is nowhere yet.
type part struct {
	path string // without links
	fd   int
	attr uint64
	dir  bool
}

// add takes a file or directory with all that is below it. Links that are part
// of its name will be there as well.
func (t *tree) add(path string, attr uint64) error {
	if path == processes {
		return nil // mounted anew
	}
	real, err := t.resolve(path)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(t.parts, func(p part) bool { return p.path == real && p.attr == attr }) {
		return nil // by another name
	}
	fd, err := unix.OpenTree(unix.AT_FDCWD, real, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_SYMLINK_NOFOLLOW)
	if err != nil {
		return fmt.Errorf("opening %s: %w", path, err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return errors.Join(fmt.Errorf("looking at %s: %w", path, err), unix.Close(fd))
	}
	return t.take(part{path: real, fd: fd, attr: attr, dir: st.Mode&unix.S_IFMT == unix.S_IFDIR})
}

func (t *tree) take(p part) error {
	t.parts = append(t.parts, p)
	set := unix.MountAttr{Attr_set: p.attr}
	if err := unix.MountSetattr(p.fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &set); err != nil {
		return fmt.Errorf("guarding %s: %w", p.path, err)
	}
	return nil
}

// maxLinks is how many links a path may lead through, as in the kernel.
const maxLinks = 40

// resolve returns a path without links, and remembers those that it went through.
func (t *tree) resolve(path string) (string, error) {
	real, rest := "/", strings.Split(strings.Trim(filepath.Clean(path), "/"), "/")
	for links := 0; len(rest) > 0; {
		next := filepath.Join(real, rest[0])
		rest = rest[1:]
		target, err := os.Readlink(next)
		if errors.Is(err, unix.EINVAL) { // it is none
			real = next
			continue
		}
		if err != nil {
			return "", fmt.Errorf("looking at %s: %w", path, err)
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("looking at %s: %w", path, unix.ELOOP)
		}
		if t.links == nil {
			t.links = make(map[string]string)
		}
		t.links[next] = target
		if !filepath.IsAbs(target) {
			target = filepath.Join(real, target)
		}
		real, rest = "/", append(strings.Split(strings.Trim(filepath.Clean(target), "/"), "/"), rest...)
	}
	return real, nil
}

// Processes returns a directory that is mounted nowhere: that of the processes of
// our namespace, and of what else the kernel tells there nothing.
func Processes() (fd int, err error) {
	fs, err := unix.Fsopen("proc", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, fmt.Errorf("making list of processes: %w", err)
	}
	defer unix.Close(fs)
	for _, option := range [][2]string{{"hidepid", "invisible"}, {"subset", "pid"}} {
		if err := unix.FsconfigSetString(fs, option[0], option[1]); err != nil {
			return -1, fmt.Errorf("making list of processes: %s: %w", option[0], err)
		}
	}
	if err := unix.FsconfigCreate(fs); err != nil {
		return -1, fmt.Errorf("making list of processes: %w", err)
	}
	const attr = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_NOEXEC
	if fd, err = unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, attr); err != nil {
		return -1, fmt.Errorf("making list of processes: %w", err)
	}
	return fd, nil
}

// rootOptions of the file system that holds the mounts, and nothing else.
const rootOptions = "mode=0755,size=1m,nr_inodes=4096"

// enter makes the tree, on a directory that is seen no more from then on, the
// root.
func (t *tree) enter(on string) error {
	if err := unix.Mount("engine", on, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, rootOptions); err != nil {
		return fmt.Errorf("making root: %w", err)
	}
	if err := os.Chdir(on); err != nil {
		return fmt.Errorf("entering root: %w", err)
	}
	// What leads to the parts is to be passed by another user.
	mask := unix.Umask(0o022)
	defer unix.Umask(mask)
	for link, target := range t.links {
		if err := os.MkdirAll(within(filepath.Dir(link)), 0o755); err != nil {
			return fmt.Errorf("making root: %w", err)
		}
		if err := os.Symlink(target, within(link)); err != nil {
			return fmt.Errorf("making root: %w", err)
		}
	}
	// Those above first: what is below them is there with them already, and is
	// mounted once more where more is allowed.
	slices.SortStableFunc(t.parts, func(a, b part) int { return strings.Compare(a.path, b.path) })
	for _, p := range t.parts {
		if err := p.attach(); err != nil {
			return fmt.Errorf("mounting %s: %w", p.path, err)
		}
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("changing root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leaving the machine's root: %w", err)
	}
	if err := os.Chdir("/"); err != nil {
		return fmt.Errorf("entering root: %w", err)
	}
	set := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", 0, &set); err != nil {
		return fmt.Errorf("closing root: %w", err)
	}
	return nil
}

// within returns a path below the root that is made.
func within(path string) string { return "." + path }

func (p part) attach() error {
	path := within(p.path)
	if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if p.dir {
			err = os.Mkdir(path, 0o755)
		} else {
			err = os.WriteFile(path, nil, 0o444)
		}
		if err != nil {
			return err
		}
	}
	return unix.MoveMount(p.fd, "", unix.AT_FDCWD, path, unix.MOVE_MOUNT_F_EMPTY_PATH)
}

func (t *tree) close() {
	for _, p := range t.parts {
		_ = unix.Close(p.fd)
	}
}
