package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// openPath lets other users pass through the directories between the data
// directory and one of an engine's, and not look into them. What else is there
// is closed to them first, once.
func (d *Driver) openPath(dir string) error {
	data := filepath.Dir(d.opts.StateRoot)
	if rel, err := filepath.Rel(data, dir); err != nil || !filepath.IsLocal(rel) {
		return nil // an engine's socket may be elsewhere, where it can be reached
	}
	for inner := dir; inner != data; inner = filepath.Dir(inner) {
		if err := d.openDir(filepath.Dir(inner)); err != nil {
			return err
		}
	}
	return nil
}

// openDir makes a directory one that others can pass.
func (d *Driver) openDir(dir string) error {
	d.opening.Lock()
	defer d.opening.Unlock()
	if d.opened[dir] {
		return nil
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("looking at directory: %w", err)
	}
	if err := closeEntries(dir); err != nil {
		return err
	}
	const pass, look = 0o011, 0o066
	if err := os.Chmod(dir, info.Mode().Perm()&^look|pass); err != nil {
		return fmt.Errorf("opening the way to engines' directories: %w", err)
	}
	d.opened[dir] = true
	return nil
}

// closeEntries closes to others what is in a directory, but for what they are
// to pass through, which comes last.
func closeEntries(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("listing directory: %w", err)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := os.Lstat(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("looking at what others must not reach: %w", err)
		}
		mode := info.Mode()
		if mode&os.ModeSymlink != 0 || mode.Perm()&0o077 == 0 || mode.Perm() == 0o711 && mode.IsDir() {
			continue
		}
		if owner := info.Sys().(*syscall.Stat_t).Uid; int(owner) != os.Geteuid() {
			continue // an engine's, and its own to close
		}
		if err := os.Chmod(path, mode.Perm()&^0o077); err != nil {
			return fmt.Errorf("closing %s to others: %w", path, err)
		}
	}
	return nil
}
