package client

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// ErrHostileArchive says that a ZIP holds something that a game's ZIP never
// does. Nothing of it was written to the target.
var ErrHostileArchive = errors.New("the archive is not safe to unpack")

// Bounds of an archive, counted while unpacking and not taken from its headers.
const (
	maxEntries    = 10_000
	maxEntryBytes = 256 << 20
	maxTotalBytes = 1 << 30
)

// Extract unpacks the ZIP at archive into the directory dir, which must not
// exist or be empty. It unpacks beside dir and renames at the end: dir is
// either whole or as before. An archive with a name that leads out of dir, a
// link, two names that differ only in case, or more than 10,000 entries, 256
// MiB in a file or 1 GiB in total is refused as a whole (ErrHostileArchive).
func Extract(archive, dir string) (err error) {
	return extract(archive, dir, limits{maxEntries, maxEntryBytes, maxTotalBytes})
}

type limits struct {
	entries           int
	entryBytes, total int64
}

func extract(archive, dir string, max limits) (err error) {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return fmt.Errorf("opening archive: %w", err)
	}
	defer z.Close()
	if err := checkNames(z.File, max.entries); err != nil {
		return err
	}
	dir = filepath.Clean(dir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return fmt.Errorf("making parent directory: %w", err)
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+".unpacking-")
	if err != nil {
		return fmt.Errorf("making directory to unpack into: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(temp))
		}
	}()
	if err := unpack(z.File, temp, max); err != nil {
		return err
	}
	if err := os.Chmod(temp, 0o755); err != nil {
		return fmt.Errorf("opening directory to others: %w", err)
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("replacing directory, which must be empty: %w", err)
	}
	if err := os.Rename(temp, dir); err != nil {
		return fmt.Errorf("moving directory into place: %w", err)
	}
	return nil
}

// checkNames refuses an archive before anything of it is written.
func checkNames(files []*zip.File, most int) error {
	if len(files) > most {
		return fmt.Errorf("%w: it has %d entries, more than %d", ErrHostileArchive, len(files), most)
	}
	seen := make(map[string]string, len(files))
	for _, file := range files {
		name := strings.TrimSuffix(file.Name, "/")
		if problem := problemOf(file, name); problem != "" {
			return fmt.Errorf("%w: entry %q %s", ErrHostileArchive, file.Name, problem)
		}
		folded := strings.ToLower(name)
		if other, twice := seen[folded]; twice {
			return fmt.Errorf("%w: entries %q and %q are one file on some systems", ErrHostileArchive, other, file.Name)
		}
		seen[folded] = file.Name
	}
	return nil
}

func problemOf(file *zip.File, name string) string {
	mode := file.Mode()
	switch {
	case strings.ContainsAny(name, `\:`):
		return "has a backslash or a colon in its name"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "has a control character in its name"
	case !filepath.IsLocal(filepath.FromSlash(name)) || filepath.ToSlash(filepath.Clean(name)) != name:
		return "leads out of the directory"
	case !mode.IsRegular() && !mode.IsDir():
		return "is neither a file nor a directory"
	case mode.IsDir() != strings.HasSuffix(file.Name, "/"):
		return "is a directory by its name or its mode only"
	case file.Flags&1 != 0:
		return "is encrypted"
	}
	return ""
}

// unpack writes the entries below dir. os.Root keeps every path inside it,
// whatever the names.
func unpack(files []*zip.File, dir string, max limits) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("opening directory to unpack into: %w", err)
	}
	defer root.Close()
	left := max.total
	for _, file := range files {
		name := strings.TrimSuffix(file.Name, "/")
		if file.Mode().IsDir() {
			if err := root.MkdirAll(name, 0o755); err != nil {
				return fmt.Errorf("making directory %s: %w", name, err)
			}
			continue
		}
		written, err := writeEntry(root, file, min(left, max.entryBytes))
		if err != nil {
			return fmt.Errorf("unpacking %s: %w", name, err)
		}
		left -= written
	}
	return nil
}

func writeEntry(root *os.Root, file *zip.File, most int64) (written int64, err error) {
	if err := root.MkdirAll(filepath.Dir(file.Name), 0o755); err != nil {
		return 0, err
	}
	content, err := file.Open()
	if err != nil {
		return 0, err
	}
	defer content.Close()
	out, err := root.OpenFile(file.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	written, err = io.Copy(out, io.LimitReader(content, most+1))
	if err != nil {
		return written, err
	}
	if written > most {
		return written, fmt.Errorf("%w: it unpacks to more than is allowed", ErrHostileArchive)
	}
	return written, nil
}
