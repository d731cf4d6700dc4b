package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// WriteFolder makes a folder with files of the given names and contents, and waits for
// no disk. What an error leaves behind is the caller's to remove.
func WriteFolder(path string, files map[string][]byte) error {
	if err := os.Mkdir(path, 0o700); err != nil {
		return fmt.Errorf("creating folder: %w", err)
	}
	for name, data := range files {
		f, err := os.OpenFile(filepath.Join(path, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return fmt.Errorf("creating file: %w", err)
		}
		_, err = f.Write(data)
		if err = errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}
	return nil
}

// SyncFolder waits until a folder of files is on disk: its name, theirs and what is in
// them. It waits for all at once, of which a file system can make one commit.
func SyncFolder(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("reading folder: %w", err)
	}
	paths := []string{path, filepath.Dir(path)}
	for _, entry := range entries {
		paths = append(paths, filepath.Join(path, entry.Name()))
	}
	errs := make([]error, len(paths))
	var wg sync.WaitGroup
	for i, path := range paths {
		wg.Go(func() { errs[i] = syncPath(path) })
	}
	wg.Wait()
	return errors.Join(errs...)
}
