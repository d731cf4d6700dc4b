package decisionlog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// rotated is a log file that is renamed when it is full. It is not safe for
// concurrent use.
type rotated struct {
	path     string
	maxBytes int64
	keep     int
	file     *os.File
	size     int64
	torn     bool // the file ends within a line
	policies *policies
}

func openRotated(path string, maxBytes int64, keep int) (*rotated, error) {
	r := &rotated{path: path, maxBytes: maxBytes, keep: keep, policies: policiesOf(path)}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("opening the decision log: %w", err)
	}
	if err := r.open(); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *rotated) open() error {
	file, err := os.OpenFile(r.path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("opening the decision log: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(fmt.Errorf("opening the decision log: %w", err), file.Close())
	}
	r.file, r.size, r.torn = file, info.Size(), false
	if r.size > 0 {
		last := make([]byte, 1)
		if _, err := file.ReadAt(last, r.size-1); err != nil {
			return errors.Join(fmt.Errorf("opening the decision log: %w", err), file.Close())
		}
		r.torn = last[0] != '\n' // whoever wrote it was killed
	}
	return nil
}

// write appends a line, into a new file when the old one is full. before is called when the
// file is the one that the line will be in.
func (r *rotated) write(line []byte, before func()) error {
	if r.size > 0 && r.size+int64(len(line)) > r.maxBytes {
		if err := r.rotate(); err != nil {
			return err
		}
	}
	if r.file == nil {
		if err := r.open(); err != nil {
			return err
		}
	}
	before()
	if r.torn {
		line = append([]byte{'\n'}, line...)
	}
	n, err := r.file.Write(line)
	if err != nil {
		// The next try opens it anew, and sees whether it ends within a line.
		err = errors.Join(err, r.file.Close())
		r.file = nil
		return fmt.Errorf("writing to the decision log: %w", err)
	}
	r.size += int64(n)
	r.torn = false
	return nil
}

// rotate renames the files and leaves the log without one.
func (r *rotated) rotate() error {
	if r.file != nil {
		err := r.file.Close()
		r.file = nil
		if err != nil {
			return fmt.Errorf("closing the decision log: %w", err)
		}
	}
	var gone time.Time
	if info, err := os.Stat(older(r.path, r.keep)); err == nil {
		gone = info.ModTime()
	}
	for n := r.keep; n > 0; n-- {
		err := os.Rename(older(r.path, n-1), older(r.path, n))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("renaming the decision log: %w", err)
		}
	}
	r.size = 0
	r.policies.forget(gone)
	return nil
}

func (r *rotated) close() error {
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	return err
}

// older returns the path of the n-th renamed log, the log's own for 0.
func older(path string, n int) string {
	if n == 0 {
		return path
	}
	return path + "." + strconv.Itoa(n)
}

// OpenAll opens a log with the renamed ones that belong to it, the oldest
// first.
func OpenAll(path string) (io.ReadCloser, error) { return OpenSince(path, time.Time{}) }

// OpenSince is OpenAll without the files that were last written to before a time.
func OpenSince(path string, since time.Time) (io.ReadCloser, error) {
	return OpenEnd(path, since, allBytes)
}

// allBytes is more than any log has.
const allBytes = math.MaxInt64

// OpenEnd is OpenSince for the whole lines of the last bytes.
func OpenEnd(path string, since time.Time, bytes int64) (io.ReadCloser, error) {
	files := &several{}
	readers := []io.Reader{}
	for n := 0; bytes > 0; n++ {
		file, err := os.Open(older(path, n))
		if errors.Is(err, fs.ErrNotExist) && n > 0 {
			break
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("opening the decision log: %w", err), files.Close())
		}
		files.closers = append(files.closers, file)
		info, err := file.Stat()
		if err == nil && info.ModTime().Before(since) {
			break // as are those before it
		}
		var end io.Reader
		if err == nil {
			end, err = wholeLines(file, info.Size()-bytes)
			bytes -= info.Size()
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("opening the decision log: %w", err), files.Close())
		}
		readers = append([]io.Reader{end}, readers...)
	}
	files.Reader = io.MultiReader(readers...)
	return files, nil
}

// wholeLines returns the lines of a file that begin at an offset or after it.
func wholeLines(file *os.File, from int64) (io.Reader, error) {
	if from <= 0 {
		return file, nil
	}
	if _, err := file.Seek(from-1, io.SeekStart); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(file)
	for {
		_, err := lines.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == nil || errors.Is(err, io.EOF):
			return lines, nil
		default:
			return nil, err
		}
	}
}

// several is some open files, read one after the other.
type several struct {
	io.Reader
	closers []io.Closer
}

func (s *several) Close() error {
	var err error
	for _, c := range s.closers {
		err = errors.Join(err, c.Close())
	}
	return err
}
