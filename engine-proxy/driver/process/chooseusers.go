package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"go.uber.org/zap"
)

// chooseUsers decides whether engines get users of their own. What was asked
// for is had or refused; what was not is taken where it is to be had, and a
// warning says why where it is not.
func (d *Driver) chooseUsers() error {
	users := d.opts.Users
	if users.Off {
		return nil
	}
	asked := users != (Users{})
	if !asked && !d.opts.Offers.Users {
		return nil
	}
	table, err := openUsers(d.opts.StateRoot, users)
	if err != nil {
		return err
	}
	if err = d.checkUsers(table.users); err == nil {
		d.users = table
		return nil
	}
	if asked {
		return fmt.Errorf("engines can't have users of their own: %w", err)
	}
	d.opts.Logger.Warn("engines run as root, under Landlock alone", zap.Error(err), zap.Int("landlock", d.opts.Offers.Landlock))
	return nil
}

var errNotRoot = errors.New("only root can run programs as other users")

// checkUsers says what keeps other users from running engines.
func (d *Driver) checkUsers(users Users) error {
	if !d.opts.Offers.Users {
		return errNotRoot
	}
	if err := users.mapped(); err != nil {
		return err
	}
	// The data directory is opened as far as needed, what is above it is not
	// ours.
	data := filepath.Dir(d.opts.StateRoot)
	if err := passable(filepath.Dir(data)); err != nil {
		return err
	}
	paths := append([]string{d.opts.Frameworks}, d.opts.Readable...)
	if p, err := examine(d.opts.Command[0]); err == nil { // Check says more when it is missing
		paths = append(paths, p.needs...)
	}
	for _, path := range paths {
		if path == "" {
			continue
		}
		if err := passable(filepath.Dir(path)); err != nil {
			return err
		}
		if err := forOthers(path, 0o004); err != nil {
			return err
		}
	}
	return nil
}

// passable says which directory on the way to path, path included, other users
// can't enter.
func passable(path string) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("looking at the way to %s: %w", path, err)
	}
	for ; ; path = filepath.Dir(path) {
		if err := forOthers(path, 0o001); err != nil {
			return err
		}
		if path == filepath.Dir(path) {
			return nil
		}
	}
}

func forOthers(path string, bit os.FileMode) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("looking at %s: %w", path, err)
	}
	if info.Mode().Perm()&bit == 0 {
		return fmt.Errorf("other users can't get at %s (mode %04o)", path, info.Mode().Perm())
	}
	return nil
}
