// Package pack makes the ZIP of a game: the same files give the same bytes.
package pack

import (
	"archive/zip"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/gamezip"
	"github.com/svc-games/svc/engine/disk"
)

// What no generator makes.
var (
	errNoGame   = errors.New("this is not a game's folder")
	errTooLarge = fmt.Errorf("%w: its files have more than %d bytes", errNoGame, int64(gamezip.MaxBytes))
)

// modified is the time that every entry carries: the earliest that the format
// knows, since the time of writing says nothing about the game.
var modified = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// Zip writes the regular files of the folder dir in root to w, sorted by name,
// with paths relative to dir. Symbolic links and special files are left out; names
// that are not the same file on every system, two that some disk takes for one,
// and more than a game may be are errors. A folder that is not there gives an
// archive without entries.
func Zip(w io.Writer, root *os.Root, dir string) (api.Files, error) {
	names, err := list(root, dir)
	if err != nil {
		return api.Files{}, fmt.Errorf("listing files: %w", err)
	}
	sum := sha256.New()
	count := &counter{w: io.MultiWriter(w, sum)}
	archive := zip.NewWriter(count)
	archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.DefaultCompression)
	})
	left := int64(gamezip.MaxBytes)
	for _, name := range names {
		n, err := add(archive, root, dir, name, left)
		if err != nil {
			return api.Files{}, fmt.Errorf("packing %s: %w", name, err)
		}
		left -= n
	}
	if err := archive.Close(); err != nil {
		return api.Files{}, fmt.Errorf("finishing archive: %w", err)
	}
	return api.Files{Count: len(names), Bytes: count.n, SHA256: hex.EncodeToString(sum.Sum(nil))}, nil
}

// list returns the regular files of dir, relative to it and sorted.
func list(root *os.Root, dir string) ([]string, error) {
	info, err := root.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", dir)
	}
	var names []string
	seen := map[string]bool{}
	total := int64(0)
	err = fs.WalkDir(root.FS(), dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		file, err := entry.Info()
		if err != nil {
			return err
		}
		name := path[len(dir)+1:]
		total += file.Size()
		switch folded := contract.Fold(name); {
		case !api.CleanPath(name):
			return fmt.Errorf("%w: it has a file %q", errNoGame, name)
		case seen[folded]:
			return fmt.Errorf("%w: it has %q twice but for capitals or the form of characters", errNoGame, name)
		case len(names) == gamezip.MaxFiles:
			return fmt.Errorf("%w: it has more than %d files", errNoGame, gamezip.MaxFiles)
		case total > gamezip.MaxBytes:
			return errTooLarge
		default:
			seen[folded] = true
		}
		names = append(names, name)
		return nil
	})
	slices.Sort(names)
	return names, err
}

// add packs a file of at most so many bytes, and says how many it has.
func add(archive *zip.Writer, root *os.Root, dir, name string, most int64) (int64, error) {
	f, err := disk.Open(root, dir+"/"+name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: modified}
	header.SetMode(0o644)
	entry, err := archive.CreateHeader(header)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(entry, io.LimitReader(f, most+1))
	if err == nil && n > most {
		err = errTooLarge // it grew meanwhile
	}
	return n, err
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
