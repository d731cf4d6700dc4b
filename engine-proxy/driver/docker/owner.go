package docker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

const reasonVolume = "The project's volume can't be written."

// settle returns the user that an engine runs as, the owner of its volume, and
// sees to it that this user can use what the container mounts. A volume of
// root's is given to the user of the options first: no engine runs as root.
func (d *Driver) settle(s driver.Spec) (uid, gid int, err error) {
	root := os.Geteuid() == 0
	switch {
	case s.Volume != "":
		uid, gid, err = d.settleVolume(s, root)
	case root:
		uid, gid = d.opts.UID, d.opts.GID
	default:
		uid, gid = os.Geteuid(), os.Getegid()
	}
	if err != nil || !root {
		return uid, gid, err // all of it is the same user's already
	}
	for _, path := range []string{filepath.Dir(s.Socket), s.TokenFile} {
		if err := os.Lchown(path, uid, gid); err != nil {
			return 0, 0, fmt.Errorf("giving the engine its folder: %w", err)
		}
	}
	return uid, gid, nil
}

// settleVolume is the part of settle that is about the volume.
func (d *Driver) settleVolume(s driver.Spec, root bool) (uid, gid int, err error) {
	info, err := os.Lstat(s.Volume)
	if err != nil {
		return 0, 0, driverkit.Blocked(reasonVolume, fmt.Errorf("looking at the volume: %w", err))
	}
	uid, gid = ownerOf(info)
	switch {
	case uid == 0 && !root:
		return 0, 0, driverkit.Blocked(reasonVolume, errors.New("the volume belongs to root, and engines don't run as root"))
	case uid == 0:
		uid, gid = d.opts.UID, d.opts.GID
		if err := give(s.Volume, uid, gid); err != nil {
			return 0, 0, driverkit.Blocked(reasonVolume, err)
		}
	case gid == 0:
		gid = uid
	}
	if info.Mode().Perm()&0o700 != 0o700 {
		return 0, 0, driverkit.Blocked(reasonVolume, fmt.Errorf("the volume can't be written: its mode is %v", info.Mode()))
	}
	if err := unix.Access(s.Volume, unix.W_OK|unix.X_OK); err != nil {
		return 0, 0, driverkit.Blocked(reasonVolume, fmt.Errorf("the volume can't be written: %w", err))
	}
	return uid, gid, nil
}

// give changes the owner of a folder and of all that is in it, the folder
// itself last: a change that was interrupted is then begun again. Links are
// changed, not followed.
func give(dir string, uid, gid int) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("opening the volume: %w", err)
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || path == "." {
			return err
		}
		return root.Lchown(path, uid, gid)
	})
	if err == nil {
		err = os.Lchown(dir, uid, gid)
	}
	if err != nil {
		return fmt.Errorf("giving the engine its volume: %w", err)
	}
	return nil
}

func ownerOf(info fs.FileInfo) (uid, gid int) {
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(sys.Uid), int(sys.Gid)
	}
	return 0, 0
}
