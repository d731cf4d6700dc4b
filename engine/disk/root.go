package disk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// Errors of files that are not what a project holds.
var (
	ErrNotRegular = errors.New("not a regular file")
	ErrTooLarge   = errors.New("larger than it may be")
)

// Open opens a regular file in root for reading. Anything else, a link to a
// regular file too, is ErrNotRegular, even when it took the file's place a moment
// ago: what was opened must be what stands there. It never waits for the other
// end of a pipe.
func Open(root *os.Root, name string) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	opened, err := f.Stat()
	if err == nil {
		var there os.FileInfo
		there, err = root.Lstat(name)
		if err == nil && (!there.Mode().IsRegular() || !os.SameFile(opened, there)) {
			err = ErrNotRegular
		}
	}
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", name, errors.Join(err, f.Close()))
	}
	return f, nil
}

// Read returns the content of a regular file in root, which has at most so many
// bytes, else ErrTooLarge. Its errors are Open's too.
func Read(root *os.Root, name string, most int64) ([]byte, error) {
	f, err := Open(root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = ErrTooLarge
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return data, nil
}
