// Package keep saves what a failed test leaves behind: logs of its processes,
// data directories, pictures. They lie in the test's artifact folder, below
// test/output/artifacts in a run of "make test" (see testing.T.ArtifactDir).
package keep

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// largest is the largest file of a folder that is kept, in bytes.
const largest = 16 << 20

// Text saves a text as the file name when the test has failed. It is to be called
// from a cleanup.
func Text(t testing.TB, name, text string) {
	t.Helper()
	if !t.Failed() {
		return
	}
	if err := os.WriteFile(filepath.Join(t.ArtifactDir(), name), []byte(text), 0o644); err != nil {
		t.Errorf("keeping %s: %v", name, err)
	}
}

// Dir makes a folder whose path is short, since a socket's may have 108 bytes, and
// removes it at the end. It is kept as by Folder when the test has failed.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "svc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		Folder(t, filepath.Base(dir), dir)
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// File writes a text to a file in a folder of its own, as of Dir, and returns its path.
func File(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(Dir(t), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Folder saves the regular files of a folder, without very large ones, when the
// test has failed. It is to be called from a cleanup that runs before the folder
// is removed, while its files may still change.
func Folder(t testing.TB, name, dir string) {
	t.Helper()
	if !t.Failed() {
		return
	}
	to := filepath.Join(t.ArtifactDir(), name)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() > largest {
			return nil
		}
		inside, relErr := filepath.Rel(dir, path)
		if err := errors.Join(err, relErr); err != nil {
			return err
		}
		return copyFile(filepath.Join(to, inside), path)
	})
	if err != nil {
		t.Errorf("keeping %s: %v", name, err)
	}
}

func copyFile(to, from string) error {
	raw, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o755)); err != nil {
		return err
	}
	return os.WriteFile(to, raw, 0o644)
}
