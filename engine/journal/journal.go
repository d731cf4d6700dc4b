// Package journal keeps an append-only file of lines, each one JSON value.
// What a crash tore at its end is cut off when it is opened again, so a reader
// never sees half a line.
package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
)

// ErrSealed is returned by Append after Seal.
var ErrSealed = errors.New("journal is sealed")

// File is an append-only file of lines. It is safe for concurrent use; readers
// don't wait for each other.
type File struct {
	path string

	mu      sync.RWMutex // guards the following fields
	f       *os.File     // nil once sealed
	offsets []int64      // where each line starts
	size    int64        // where the next one will
	broken  error        // of a sync that failed: the end of the file is unknown
}

// Open opens the file at path, creating it if need be, and calls line with
// each line in order. The first line that is not whole, not JSON, or that line
// returns an error for ends the journal: it and what follows it are cut off.
// cut is the number of bytes that this lost.
func Open(path string, line func(n int, data []byte) error) (file *File, cut int64, err error) {
	return OpenLines(path, func(n int, data []byte) error {
		if !json.Valid(data) {
			return errors.New("this is not JSON")
		}
		return line(n, data)
	})
}

// OpenLines is Open for a file whose owner decides alone which line ends it: one
// may be anything.
func OpenLines(path string, line func(n int, data []byte) error) (file *File, cut int64, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, 0, fmt.Errorf("opening journal: %w", err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, fmt.Errorf("reading journal: %w", errors.Join(err, f.Close()))
	}
	j := &File{path: path, f: f}
	for rest := data; ; {
		text, after, whole := bytes.Cut(rest, []byte("\n"))
		if !whole || line(len(j.offsets), text) != nil {
			break
		}
		j.offsets = append(j.offsets, j.size)
		j.size += int64(len(text)) + 1
		rest = after
	}
	if cut = int64(len(data)) - j.size; cut > 0 {
		if err := errors.Join(f.Truncate(j.size), f.Sync()); err != nil {
			return nil, 0, fmt.Errorf("cutting torn journal: %w", errors.Join(err, f.Close()))
		}
	}
	return j, cut, nil
}

// Append adds a line, given without its newline. With sync it returns once the
// line, and every one before it, is on disk. After an error the line is not
// there, unless the disk refused to sync: the journal is then unusable until
// it is opened again.
func (j *File) Append(line []byte, sync bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.broken != nil {
		return j.broken
	}
	if j.f == nil {
		return ErrSealed
	}
	if _, err := j.f.WriteAt(append(line[:len(line):len(line)], '\n'), j.size); err != nil {
		err = fmt.Errorf("appending to journal: %w", err)
		if cutErr := j.f.Truncate(j.size); cutErr != nil {
			j.broken = errors.Join(err, cutErr)
		}
		return err
	}
	if sync {
		if err := j.f.Sync(); err != nil {
			j.broken = fmt.Errorf("syncing journal: %w", err)
			return j.broken
		}
	}
	j.offsets = append(j.offsets, j.size)
	j.size += int64(len(line)) + 1
	return nil
}

// Len returns the number of lines.
func (j *File) Len() int {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return len(j.offsets)
}

// Size returns the file's length in bytes.
func (j *File) Size() int64 {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return j.size
}

// Read returns the lines from index from up to but without index to: as many
// as fit into limit bytes, at least one if there is one.
func (j *File) Read(from, to int, limit int64) ([][]byte, error) {
	j.mu.RLock()
	defer j.mu.RUnlock()
	if to = min(to, len(j.offsets)); from >= to {
		return nil, nil
	}
	last := from + 1
	for last < to && j.end(last)-j.offsets[from] <= limit {
		last++
	}
	buf := make([]byte, j.end(last-1)-j.offsets[from])
	if err := j.readAt(buf, j.offsets[from]); err != nil {
		return nil, fmt.Errorf("reading journal: %w", err)
	}
	return bytes.Split(buf[:len(buf)-1], []byte("\n")), nil
}

// Seal closes the file for writing. It can still be read, and costs no
// descriptor meanwhile.
func (j *File) Seal() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.f == nil {
		return nil
	}
	err := j.f.Close()
	j.f = nil
	return err
}

// end returns where line n ends, newline included.
func (j *File) end(n int) int64 {
	if n+1 < len(j.offsets) {
		return j.offsets[n+1]
	}
	return j.size
}

func (j *File) readAt(buf []byte, offset int64) error {
	f := j.f
	if f == nil {
		var err error
		if f, err = os.Open(j.path); err != nil {
			return err
		}
		defer f.Close()
	}
	_, err := f.ReadAt(buf, offset)
	return err
}
