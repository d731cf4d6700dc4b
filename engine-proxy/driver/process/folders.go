package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/svc-games/svc/engine-proxy/driver"
)

// Directories of a runtime directory that are new at each start.
const (
	tmpDir  = "tmp"
	homeDir = "home"
)

// prepare makes what an engine finds, and gives it to the engine's user; where
// engines have no users of their own, a service of root takes it back. No engine
// runs on these directories, but an earlier one has filled them: no link is followed.
func (d *Driver) prepare(s driver.Spec, uid int) error {
	runtime, err := os.OpenRoot(s.RuntimeDir)
	if err != nil {
		return fmt.Errorf("opening runtime directory: %w", err)
	}
	defer runtime.Close()
	for _, name := range []string{tmpDir, homeDir} {
		if err := runtime.RemoveAll(name); err != nil {
			return fmt.Errorf("clearing engine's scratch directory: %w", err)
		}
		if err := runtime.Mkdir(name, 0o700); err != nil {
			return fmt.Errorf("making engine's scratch directory: %w", err)
		}
	}
	var volume *os.Root
	if s.Volume != "" {
		if volume, err = os.OpenRoot(s.Volume); err != nil {
			return fmt.Errorf("opening volume: %w", err)
		}
		defer volume.Close()
	}
	if d.users == nil {
		// What was a user's, when engines had users, is taken back.
		if uid = os.Geteuid(); uid != 0 {
			return nil
		}
	} else {
		for _, dir := range engineDirs(s) {
			if err := d.openPath(dir); err != nil {
				return err
			}
		}
	}
	if socket := filepath.Dir(s.Socket); socket != s.RuntimeDir {
		if err := os.Chown(socket, uid, uid); err != nil {
			return fmt.Errorf("giving socket directory to engine: %w", err)
		}
	}
	if err := give(runtime, uid); err != nil {
		return fmt.Errorf("giving runtime directory to engine: %w", err)
	}
	if volume == nil {
		return nil
	}
	// A volume that is the engine's holds nothing that is not.
	info, err := volume.Stat(".")
	if err != nil {
		return fmt.Errorf("looking at volume: %w", err)
	}
	if owner(info) == uid {
		return nil
	}
	if err := give(volume, uid); err != nil {
		return fmt.Errorf("giving volume to engine: %w", err)
	}
	return nil
}

// engineDirs are the directories that an engine may write to.
func engineDirs(s driver.Spec) []string {
	dirs := []string{s.RuntimeDir}
	if s.Volume != "" {
		dirs = append(dirs, s.Volume)
	}
	if dir := filepath.Dir(s.Socket); dir != s.RuntimeDir {
		dirs = append(dirs, dir)
	}
	return dirs
}

func owner(info fs.FileInfo) int { return int(info.Sys().(*syscall.Stat_t).Uid) }

// errOtherName: a file has a second name, maybe outside.
var errOtherName = errors.New("it has more than one name")

// give changes the owner of a directory and of all that is in it; of the
// directory itself last, so that a half-given one is given again.
func give(root *os.Root, uid int) error {
	err := fs.WalkDir(root.FS(), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || path == "." {
			return err
		}
		info, err := root.Lstat(path)
		if err != nil {
			return err
		}
		if owner(info) == uid {
			return nil
		}
		if st := info.Sys().(*syscall.Stat_t); st.Nlink > 1 && !info.IsDir() {
			return fmt.Errorf("%s: %w", path, errOtherName)
		}
		return root.Lchown(path, uid, uid)
	})
	if err != nil {
		return err
	}
	if err := root.Chmod(".", 0o700); err != nil {
		return err
	}
	return root.Chown(".", uid, uid)
}
