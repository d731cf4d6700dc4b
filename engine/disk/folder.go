package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// CreateFolder makes a folder with files of the given names and contents, and
// waits until all of it, though not the folder's own name, is on disk. What an
// error leaves behind is the caller's to remove.
func CreateFolder(path string, files map[string][]byte) error {
	if err := os.Mkdir(path, 0o700); err != nil {
		return fmt.Errorf("creating folder: %w", err)
	}
	var open []*os.File
	var failed error
	for name, data := range files {
		f, err := os.OpenFile(filepath.Join(path, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			open = append(open, f)
			_, err = f.Write(data)
		}
		failed = errors.Join(failed, err)
	}
	folder, err := os.Open(path)
	if err == nil {
		open = append(open, folder)
	}
	return errors.Join(failed, err, syncAll(open))
}

// syncAll waits for all files at once, which a file system can make one commit
// of, and closes them.
func syncAll(files []*os.File) error {
	errs := make([]error, len(files))
	var wg sync.WaitGroup
	for i, f := range files {
		wg.Go(func() { errs[i] = errors.Join(f.Sync(), f.Close()) })
	}
	wg.Wait()
	return errors.Join(errs...)
}
