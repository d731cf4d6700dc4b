package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine-proxy/internal/bounded"
	"github.com/svc-games/svc/engine-proxy/internal/durable"
)

// snapshotsDir holds the last snapshot of each project's game, for jobs that
// end without their engine.
const snapshotsDir = "snapshots"

// PutSnapshot keeps a ZIP of a project's game in place of the one before. It
// closes src. An error that is ErrRefused is about the content.
func (s *Store) PutSnapshot(ctx context.Context, projectID string, src io.ReadCloser) error {
	defer src.Close()
	if !api.ValidProjectID(projectID) {
		return fmt.Errorf("%w: malformed project id", ErrRefused)
	}
	return s.keepSnapshot(projectID, func(path string) error {
		err := create(path, func(out io.Writer) error {
			_, err := io.Copy(out, bounded.Reader(src, MaxFiles, errTooLarge))
			return err
		})
		if err != nil {
			return fmt.Errorf("keeping snapshot: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := countFiles(path); err != nil {
			return fmt.Errorf("checking snapshot: %w", err)
		}
		return nil
	})
}

// HasSnapshot reports whether there is one of the project.
func (s *Store) HasSnapshot(projectID string) bool {
	_, err := os.Stat(s.snapshot(projectID))
	return err == nil
}

func (s *Store) snapshot(projectID string) string {
	return filepath.Join(s.dir, snapshotsDir, projectID+".zip")
}

// keepSnapshot makes the project's snapshot of the file that fill puts at a path, on
// disk.
func (s *Store) keepSnapshot(projectID string, fill func(path string) error) error {
	dir := filepath.Join(s.dir, snapshotsDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("keeping snapshot: %w", err)
	}
	temp, err := os.MkdirTemp(s.temp(), "")
	if err != nil {
		return fmt.Errorf("keeping snapshot: %w", err)
	}
	defer os.RemoveAll(temp)
	path := filepath.Join(temp, filesFile)
	if err := fill(path); err != nil {
		return err
	}
	if err := os.Rename(path, s.snapshot(projectID)); err != nil {
		return fmt.Errorf("keeping snapshot: %w", err)
	}
	return durable.SyncDir(dir)
}

// endAsSnapshot makes the ZIP of an ended job the snapshot, if there is a game in
// it: the next job begins with it. It costs a directory entry.
func (s *Store) endAsSnapshot(jobID, projectID string) error {
	if !api.ValidProjectID(projectID) {
		return nil
	}
	files := filepath.Join(s.dir, jobID, filesFile)
	if game, err := hasGame(files); err != nil || !game {
		return err
	}
	return s.keepSnapshot(projectID, func(path string) error {
		if err := os.Link(files, path); err != nil {
			return fmt.Errorf("keeping snapshot: %w", err)
		}
		return nil
	})
}

// takeSnapshot puts the project's snapshot at path and describes it; nil when
// there is none, or no game in it.
func (s *Store) takeSnapshot(projectID, path string) (*api.Files, error) {
	if !api.ValidProjectID(projectID) {
		return nil, nil
	}
	err := os.Link(s.snapshot(projectID), path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("taking snapshot: %w", err)
	}
	n, sum, err := sumOf(path)
	if err != nil {
		return nil, fmt.Errorf("taking snapshot: %w", err)
	}
	count, err := countFiles(path)
	if errors.Is(err, ErrRefused) || err == nil && count == 0 { // it was kept when less was asked of one, or before the first game
		return nil, os.Remove(path)
	}
	if err != nil {
		return nil, fmt.Errorf("reading snapshot: %w", err)
	}
	return &api.Files{Count: count, Bytes: n, SHA256: sum}, nil
}

// forgetSnapshot deletes a project's snapshot.
func (s *Store) forgetSnapshot(projectID string) error {
	if !api.ValidProjectID(projectID) {
		return nil
	}
	if err := os.Remove(s.snapshot(projectID)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("deleting snapshot: %w", err)
	}
	return nil
}
