package disk

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestAReplacementThatFailsLeavesTheOldContent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := WriteFile(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := Replace(path, func(w io.Writer) error {
		if _, err := w.Write(make([]byte, 1<<20)); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("Replace: %v", err)
	}
	if got, err := os.ReadFile(path); string(got) != "old" {
		t.Errorf("content %q, %v", got, err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestALockIsHeldUntilItIsClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	lock, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(path); !errors.Is(err, ErrLocked) {
		t.Errorf("a second Lock: %v", err)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Lock(path)
	if err != nil {
		t.Fatalf("Lock after Close: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

// A program that is being started has each descriptor of this process until it
// has become what it is to be: it shares the open file, as a copy does.
func TestALockIsGivenUpThoughItsFileIsStillOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	lock, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	inherited, err := syscall.Dup(int(lock.(held).f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(inherited)
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Lock(path)
	if err != nil {
		t.Fatalf("Lock after Close: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestAFolderIsWrittenWithAllItsFilesOrAnError(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	files := map[string][]byte{"a": []byte("one"), "b": nil}
	if err := WriteFolder(dir, files); err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != string(want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if err := SyncFolder(dir); err != nil {
		t.Errorf("SyncFolder: %v", err)
	}
	if err := SyncFolder(dir + "none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("SyncFolder of none: %v", err)
	}
	if err := WriteFolder(dir, files); !errors.Is(err, os.ErrExist) {
		t.Errorf("over one that is there: %v", err)
	}
	if err := WriteFolder(filepath.Join(t.TempDir(), "new"), map[string][]byte{"a": nil, "b/c": nil}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("with a file that can't be: %v", err)
	}
}
