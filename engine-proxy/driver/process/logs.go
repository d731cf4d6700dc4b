package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
	"github.com/svc-games/svc/engine-proxy/driver/process/shim"
)

// Logs implements driver.Driver.
func (d *Driver) Logs(ctx context.Context, h driver.Handle, limit int64) ([]byte, error) {
	id, err := parseHandle(h)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// Only the last instance's log is there.
	record, err := shim.ReadRecord(d.stateDir(id.ProjectID))
	if errors.Is(err, fs.ErrNotExist) || err == nil && record.Identity != id {
		return nil, driver.ErrNotFound
	}
	if err != nil {
		return nil, driverkit.Unavailable(err)
	}
	limit = min(limit, d.opts.LogBytes)
	text, err := tail(filepath.Join(d.stateDir(id.ProjectID), shim.LogFile), limit)
	if err != nil {
		return nil, err
	}
	if short := limit - int64(len(text)); short > 0 {
		before, err := tail(filepath.Join(d.stateDir(id.ProjectID), shim.CutFile), short)
		if err != nil {
			return nil, err
		}
		text = append(before, text...)
	}
	return text, nil
}

// tail returns the last bytes of a file, none of one that is not there.
func tail(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("opening engine log: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("measuring engine log: %w", err)
	}
	limit = min(limit, info.Size())
	text, err := io.ReadAll(io.NewSectionReader(f, info.Size()-limit, limit))
	if err != nil {
		return nil, fmt.Errorf("reading engine log: %w", err)
	}
	return text, nil
}
