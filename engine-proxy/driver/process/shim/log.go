package shim

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// previousLog is the log of the instance before, kept for a look at what made
// it end.
const previousLog = "previous.log"

// engineLog is what an engine writes. The engine has a pipe, and never the file:
// what it said stays said. Once the file has limit bytes it becomes CutFile, and
// the one before is gone.
type engineLog struct {
	dir    string
	limit  int64
	copied chan error // nil before pipe: tells once that the engine has closed it

	mu   sync.Mutex // guards the following fields
	f    *os.File
	size int64
}

func openLog(stateDir string, limit int64) (*engineLog, error) {
	if err := os.Rename(filepath.Join(stateDir, LogFile), filepath.Join(stateDir, previousLog)); err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("moving log: %w", err)
	}
	if err := os.Remove(filepath.Join(stateDir, CutFile)); err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("removing log: %w", err)
	}
	l := &engineLog{dir: stateDir, limit: limit}
	return l, l.begin()
}

// begin begins a file.
func (l *engineLog) begin() (err error) {
	l.size = 0
	l.f, err = os.OpenFile(filepath.Join(l.dir, LogFile), os.O_CREATE|os.O_EXCL|os.O_APPEND|os.O_WRONLY|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return fmt.Errorf("opening engine log: %w", err)
	}
	return nil
}

// pipe returns what the engine writes to. The caller closes it once the engine
// has it.
func (l *engineLog) pipe() (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making pipe: %w", err)
	}
	l.copied = make(chan error, 1)
	go func() {
		_, err := io.Copy(l, r)
		l.copied <- errors.Join(err, r.Close())
	}()
	return w, nil
}

// Write implements io.Writer. It never fails: an engine must be able to write
// when the disk is full, and what there is no room for is lost.
func (l *engineLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := p; len(rest) > 0 && l.f != nil; {
		n, err := l.f.Write(rest[:min(int64(len(rest)), l.limit-l.size)])
		rest, l.size = rest[n:], l.size+int64(n)
		if err != nil {
			break
		}
		if l.size >= l.limit {
			l.cut()
		}
	}
	return len(p), nil
}

// cut makes the file the one that was cut last. Where that fails the log ends.
func (l *engineLog) cut() {
	path := filepath.Join(l.dir, LogFile)
	err := errors.Join(l.f.Close(), os.Rename(path, filepath.Join(l.dir, CutFile)))
	if l.f = nil; err == nil {
		_ = l.begin() // leaves no file when it fails
	}
}

// close waits for what the engine wrote last.
func (l *engineLog) close() error {
	if l == nil {
		return nil
	}
	var err error
	if l.copied != nil {
		err = <-l.copied
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f != nil {
		err = errors.Join(err, l.f.Close())
		l.f = nil
	}
	if err != nil {
		return fmt.Errorf("writing engine log: %w", err)
	}
	return nil
}
