// Package durable writes files that are whole after every crash.
package durable

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Replace makes data the content of a file, 0600, all or nothing, and returns
// once it is on disk. What stood at path, a link for one, is replaced and never
// followed.
func Replace(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-")
	if err != nil {
		return fmt.Errorf("creating temporary file: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return fmt.Errorf("writing temporary file: %w", err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("replacing file: %w", err)
	}
	return SyncDir(filepath.Dir(path))
}

// SyncDir returns once the names in a directory are on disk.
func SyncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("opening directory: %w", err)
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil {
		return fmt.Errorf("syncing directory: %w", err)
	}
	return nil
}
