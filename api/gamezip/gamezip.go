// Package gamezip says which ZIP may be that of a game. Whoever makes one, keeps
// one or tries an engine asks the same question.
package gamezip

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
)

// Bounds of a game.
const (
	MaxFiles = 2000
	MaxBytes = 64 << 20 // of all files together, unpacked
	maxDepth = 16       // of folders in folders
	maxName  = 512      // bytes, folders included

	// maxDirectory bounds what is read of a ZIP to list its files, in bytes. Each
	// of them takes several times as much in memory as in the directory.
	maxDirectory = 1 << 20
)

// ErrUnsafe is returned, wrapped, for a ZIP that no game has. Any other error is
// one of reading it.
var ErrUnsafe = errors.New("not the ZIP of a game")

// Check reads a ZIP of so many bytes to its end and returns how many files it
// holds: regular files, within the bounds, with names that are the same file on
// every system and contents that are as the ZIP says. Nothing is believed that it
// says of its sizes.
func Check(r io.ReaderAt, size int64) (files int, err error) {
	source := &source{from: r, left: maxDirectory}
	archive, err := zip.NewReader(source, size)
	if source.err != nil {
		return 0, fmt.Errorf("reading ZIP: %w", source.err)
	}
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrUnsafe, err)
	}
	if err := CheckNames(archive.File); err != nil {
		return 0, err
	}
	source.left = 2*size + maxName // each byte is read once, but for the heads of files
	left := int64(MaxBytes)
	for _, f := range archive.File {
		n, err := read(f, left)
		if source.err != nil {
			return 0, fmt.Errorf("reading ZIP: %w", source.err)
		}
		if err != nil {
			return 0, fmt.Errorf("%w: %q: %w", ErrUnsafe, f.Name, err)
		}
		left -= n
	}
	return len(archive.File), nil
}

// Open opens a regular file of a ZIP of so many bytes by its name, or returns an
// error that is fs.ErrNotExist. It looks at the list of files alone, of a bounded
// part: the ZIP may be one that nobody checked. What it returns holds nothing of
// that list, which takes some mebibytes.
func Open(r io.ReaderAt, size int64, name string) (io.ReadCloser, error) {
	if !fs.ValidPath(name) {
		return nil, fs.ErrNotExist
	}
	source := &source{from: r, left: maxDirectory}
	archive, err := zip.NewReader(source, size)
	if err != nil {
		return nil, fmt.Errorf("listing ZIP: %w", err)
	}
	source.left = 2*size + maxName
	for _, f := range archive.File {
		if f.Name == name && f.Mode().IsRegular() {
			return newContent(f, source)
		}
	}
	return nil, fs.ErrNotExist
}

// CheckNames is the part of Check that looks at the list of files alone.
func CheckNames(files []*zip.File) error {
	if len(files) > MaxFiles {
		return fmt.Errorf("%w: it has %d files; a game has at most %d", ErrUnsafe, len(files), MaxFiles)
	}
	seen := make(map[string]bool, len(files))
	folders := make(map[string]bool)
	for _, f := range files {
		folded := contract.Fold(f.Name)
		problem := ""
		switch {
		case !api.CleanPath(f.Name):
			problem = "is not the same file on every system"
		case strings.Count(f.Name, "/") > maxDepth:
			problem = "lies too deep"
		case len(f.Name) > maxName:
			problem = "has too long a name"
		case !f.Mode().IsRegular():
			problem = "is not a regular file"
		case f.Mode().Perm() != f.Mode():
			problem = "has a special mode"
		case f.Flags&1 != 0:
			problem = "is encrypted"
		case seen[folded] || folders[folded]:
			problem = "appears twice"
		}
		for at := range len(folded) {
			if folded[at] != '/' {
				continue
			}
			if folders[folded[:at]] = true; seen[folded[:at]] {
				problem = "lies in a file"
			}
		}
		if problem != "" {
			return fmt.Errorf("%w: %q %s", ErrUnsafe, f.Name, problem)
		}
		seen[folded] = true
	}
	return nil
}

// read unpacks a file of at most so many bytes into nothing.
func read(f *zip.File, most int64) (int64, error) {
	if f.UncompressedSize64 > uint64(most) {
		return 0, fmt.Errorf("the files have more than %d bytes", int64(MaxBytes))
	}
	content, err := f.Open()
	if err != nil {
		return 0, err
	}
	defer content.Close()
	n, err := io.Copy(io.Discard, io.LimitReader(content, most+1))
	if err == nil && n > most {
		err = fmt.Errorf("the files have more than %d bytes", int64(MaxBytes))
	}
	return n, err
}

// What a ZIP may lead its reader to.
var (
	errTooMuch = errors.New("its directory is too large")
	errOutside = errors.New("it refers to an offset before its start")
)

// source is a ZIP of which so many bytes may be read.
type source struct {
	from io.ReaderAt
	left int64
	err  error // of reading, which is not the ZIP's fault
}

func (s *source) ReadAt(p []byte, at int64) (int, error) {
	if at < 0 {
		return 0, errOutside
	}
	if s.left -= int64(len(p)); s.left < 0 {
		return 0, errTooMuch
	}
	n, err := s.from.ReadAt(p, at)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// Interface guards
var _ io.ReaderAt = (*source)(nil)
