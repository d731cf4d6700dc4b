package decisionlog

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// followEvery is how often a log that is followed is looked at.
const followEvery = 200 * time.Millisecond

// Follow calls use with each record of a log that matches, as it is written there, until ctx
// ends and what was recorded by then is read: what the file holds, and all that comes, in files
// that take its place too. The log need not be there yet. An error of use ends it.
func Follow(ctx context.Context, path string, f Filter, use func(line []byte) error) error {
	look := time.NewTicker(followEvery)
	defer look.Stop()
	t := tail{path: path, use: func(line []byte) error {
		if r, err := show(line); err != nil || !f.Match(r) {
			return nil // what is no record is nobody's decision
		}
		return use(line)
	}}
	defer t.close()
	for {
		last := ctx.Err() != nil
		if err := t.read(); err != nil || last {
			return err
		}
		select {
		case <-ctx.Done():
		case <-look.C:
		}
	}
}

// tail reads the lines of a file that grows, and of those that take its place.
type tail struct {
	path string
	use  func(line []byte) error

	all  bool     // there was no log at the beginning: all of it is new
	file *os.File // nil while there is none
	in   *bufio.Reader
	part []byte // of a line that has no end yet
}

// read reads all that is there.
func (t *tail) read() error {
	if t.file == nil {
		file, err := open(t.first())
		if err != nil {
			return fmt.Errorf("following the decision log: %w", err)
		}
		if file == nil {
			t.all = true
			return nil
		}
		t.file, t.in = file, bufio.NewReader(file)
	}
	for {
		if err := t.lines(); err != nil {
			return err
		}
		next, err := t.next()
		if err != nil {
			return fmt.Errorf("following the decision log: %w", err)
		}
		if next == nil {
			return nil
		}
		err = t.lines() // it was renamed by now, and is whole
		t.close()
		t.file, t.in = next, bufio.NewReader(next)
		if err != nil {
			return err
		}
	}
}

// first is the file to begin with: the oldest where all of the log is new.
func (t *tail) first() string {
	n := 0
	for t.all {
		if _, err := os.Stat(older(t.path, n+1)); err != nil {
			break
		}
		n++
	}
	return older(t.path, n)
}

// next opens the file after this one, nil while there is none. It may have been renamed several
// times since the last look, and be renamed meanwhile: the oldest first.
func (t *tail) next() (*os.File, error) {
	own, err := t.file.Stat()
	if err != nil {
		return nil, err
	}
	at := func(n int) (is bool, err error) {
		info, err := os.Stat(older(t.path, n))
		return err == nil && os.SameFile(own, info), err
	}
	missing := 0
	for n := 0; ; n++ {
		is, err := at(n)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if missing++; missing > 2 { // one is while they are renamed, and the log itself before its first line
				return open(older(t.path, max(0, n-missing))) // this one was dropped: the oldest that is left
			}
		case err != nil:
			return nil, err
		case is && n == 0:
			return nil, nil
		case is:
			next, err := open(older(t.path, n-1))
			if still, _ := at(n); still || next == nil {
				return next, err
			}
			n, missing = -1, 0 // it was renamed once more: the next is not what was opened
			_ = next.Close()
		default:
			missing = 0
		}
	}
}

// open opens a file, nil for none.
func open(path string) (*os.File, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return file, err
}

func (t *tail) lines() error {
	for {
		text, err := t.in.ReadBytes('\n')
		t.part = append(t.part, text...)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("following the decision log: %w", err)
		}
		line := bytes.TrimSpace(t.part)
		t.part = nil
		if err := t.use(line); err != nil {
			return err
		}
	}
}

func (t *tail) close() {
	if t.file != nil {
		_ = t.file.Close() // it was only read
	}
	t.file, t.in, t.part = nil, nil, nil
}
