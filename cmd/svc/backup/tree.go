package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/engine-proxy/state"
)

// sum is a file of a backup.
type sum struct {
	path   string // in the data directory
	bytes  int64
	sha256 string
}

// copyTree copies the plain files below a folder into another one, in the order of their
// names, and returns the checksum of every file that is then there. Names at the top that
// leftOut names are not copied. A folder that is removed meanwhile, as a job's in the
// archive, is not copied either. A link at the top is followed; one further down is an
// error, since what it leads to would be missing.
func copyTree(ctx context.Context, from, to string, leftOut func(name string) bool) ([]sum, error) {
	c := copying{ctx: ctx, from: from, to: to, leftOut: leftOut}
	if err := c.there(); err != nil {
		return nil, err
	}
	_, err := c.folder(".")
	return c.sums, err
}

type copying struct {
	ctx      context.Context
	from, to string
	leftOut  func(name string) bool
	sums     []sum
}

// there notes the files that were put at the other end before.
func (c *copying) there() error {
	entries, err := os.ReadDir(c.to)
	if err != nil {
		return fmt.Errorf("reading the backup: %w", err)
	}
	for _, e := range entries {
		one, err := sumOf(filepath.Join(c.to, e.Name()))
		if err != nil {
			return err
		}
		one.path = e.Name()
		c.sums = append(c.sums, one)
	}
	return nil
}

// folder copies a folder that is there at the other end. gone: it was removed meanwhile.
func (c *copying) folder(path string) (gone bool, err error) {
	if err := c.ctx.Err(); err != nil {
		return false, err
	}
	from := filepath.Join(c.from, path)
	entries, err := os.ReadDir(from)
	if errors.Is(err, fs.ErrNotExist) && path != "." {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("copying %s: %w", from, err)
	}
	before := len(c.sums)
	for _, e := range entries {
		if path == "." && c.leftOut(e.Name()) || filepath.Dir(path) == state.StatesDir && e.Name() == "token" { // of an engine elsewhere
			continue
		}
		err := c.entry(filepath.Join(path, e.Name()), path == ".")
		if !errors.Is(err, fs.ErrNotExist) {
			if err != nil {
				return false, err
			}
			continue
		}
		if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
			c.sums = c.sums[:before]
			return true, nil
		}
	}
	return false, nil
}

// entry copies what a name stands for. It returns an fs.ErrNotExist for what is gone.
func (c *copying) entry(path string, top bool) error {
	from, to := filepath.Join(c.from, path), filepath.Join(c.to, path)
	look := os.Lstat
	if top {
		look = os.Stat
	}
	info, err := look(from)
	if err != nil {
		return err
	}
	switch {
	case info.IsDir():
		if err := os.Mkdir(to, 0o700); err != nil {
			return fmt.Errorf("copying %s: %w", from, err)
		}
		gone, err := c.folder(path)
		if err == nil && gone {
			err = os.RemoveAll(to)
		}
		return err
	case info.Mode().Type() == fs.ModeSymlink:
		return fmt.Errorf("%s is a link: put what it leads to in its place", from)
	case !info.Mode().IsRegular():
		return nil // a socket
	}
	one, err := copyFile(from, to)
	if err != nil {
		return err
	}
	one.path = path
	c.sums = append(c.sums, one)
	return nil
}

// copyFile copies a file to one that is not there yet.
func copyFile(from, to string) (sum, error) {
	in, err := os.Open(from)
	if err != nil {
		return sum{}, err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return sum{}, fmt.Errorf("copying %s: %w", from, err)
	}
	digest := sha256.New()
	n, err := io.Copy(io.MultiWriter(out, digest), in)
	if err = errors.Join(err, out.Close()); err != nil {
		return sum{}, fmt.Errorf("copying %s: %w", from, err)
	}
	return sum{bytes: n, sha256: hex.EncodeToString(digest.Sum(nil))}, nil
}

// sumOf reads a file.
func sumOf(path string) (sum, error) {
	f, err := os.Open(path)
	if err != nil {
		return sum{}, fmt.Errorf("reading the backup: %w", err)
	}
	defer f.Close()
	digest := sha256.New()
	n, err := io.Copy(digest, f)
	if err != nil {
		return sum{}, fmt.Errorf("reading the backup: %w", err)
	}
	return sum{bytes: n, sha256: hex.EncodeToString(digest.Sum(nil))}, nil
}

// emptyDir makes a folder, or takes one that is empty, and closes it to others. undo
// removes what was put into it since, and the folder if it was made.
func emptyDir(path string) (undo func() error, err error) {
	entries, err := os.ReadDir(path)
	made := errors.Is(err, fs.ErrNotExist)
	switch {
	case made:
		err = os.MkdirAll(path, 0o700)
	case err == nil && len(entries) > 0:
		err = ErrNotEmpty
	case err == nil:
		err = os.Chmod(path, 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("writing to %s: %w", path, err)
	}
	return func() error {
		if made {
			return os.RemoveAll(path)
		}
		entries, err := os.ReadDir(path)
		for _, e := range entries {
			err = errors.Join(err, os.RemoveAll(filepath.Join(path, e.Name())))
		}
		return err
	}, nil
}

func writeFile(path string, data []byte) error {
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return fmt.Errorf("writing the backup: %w", err)
	}
	return nil
}

// syncAll returns once all that was written to a folder's file system is on disk.
func syncAll(path string) error {
	dir, err := os.Open(path)
	if err == nil {
		err = errors.Join(unix.Syncfs(int(dir.Fd())), dir.Close())
	}
	if err != nil {
		return fmt.Errorf("syncing %s: %w", path, err)
	}
	return nil
}
