package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAStoreThatWasMovedIsNotBegunAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), SQLiteFile)
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	if err := SetAside(path); err != nil {
		t.Fatal(err)
	}
	_, opened := OpenSQLite(t.Context(), path)
	_, read := countUsers(t.Context(), path)
	_, seized := Seize(path)
	for name, err := range map[string]error{"opened": opened, "read": read, "seized": seized} {
		if !errors.Is(err, ErrMoved) || !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "SVC_STORE") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is there again: %v", err)
	}
	if err := os.Rename(path+movedSuffix, path); err != nil {
		t.Fatal(err)
	}
	open(t, path)
}

// TestAStoreBesideOneThatWasMovedIsOpened: a folder in which somebody began anew.
func TestAStoreBesideOneThatWasMovedIsOpened(t *testing.T) {
	path := filepath.Join(t.TempDir(), SQLiteFile)
	if err := os.WriteFile(path+movedSuffix, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	open(t, path)
}
