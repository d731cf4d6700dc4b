package shim

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// logEvery is how often the log is measured.
const logEvery = 2 * time.Second

// previousLog is the log of the instance before, kept for a look at what made
// it end.
const previousLog = "previous.log"

// openLog begins an engine's log. It is a file and never a pipe: an engine
// must be able to write when nobody reads.
func openLog(stateDir string) (*os.File, error) {
	path := filepath.Join(stateDir, LogFile)
	if err := os.Rename(path, filepath.Join(stateDir, previousLog)); err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("moving log: %w", err)
	}
	if err := os.Remove(filepath.Join(stateDir, CutFile)); err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("removing log: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_APPEND|os.O_WRONLY|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening engine log: %w", err)
	}
	return f, nil
}

// cutLog moves the end of a log that has outgrown limit to CutFile and empties
// it. The engine goes on in the same file, which it has open for appending.
func cutLog(stateDir string, limit int64) error {
	f, err := os.OpenFile(filepath.Join(stateDir, LogFile), os.O_RDWR|syscall.O_NOFOLLOW, 0)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("opening engine log: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("measuring engine log: %w", err)
	}
	if info.Size() <= limit {
		return nil
	}
	cut, err := os.OpenFile(filepath.Join(stateDir, CutFile), os.O_CREATE|os.O_TRUNC|os.O_WRONLY|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return fmt.Errorf("opening older engine log: %w", err)
	}
	// Up to the end as it is by then, or what comes meanwhile would be lost.
	const meanwhile = 1 << 20
	_, err = io.Copy(cut, io.NewSectionReader(f, info.Size()-limit, limit+meanwhile))
	if err = errors.Join(err, cut.Close()); err != nil {
		return fmt.Errorf("moving engine log: %w", err)
	}
	if err := f.Truncate(0); err != nil {
		return fmt.Errorf("emptying engine log: %w", err)
	}
	return nil
}
