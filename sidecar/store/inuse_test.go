package store

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
)

func TestStoreIsSeizedByNobodyWhileItIsOpenAndOpenedByNobodyWhileItIsSeized(t *testing.T) {
	path := filepath.Join(t.TempDir(), SQLiteFile)
	if _, err := Seize(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("one that is not there: %v", err)
	}
	first, second := open(t, path), open(t, path)
	for _, s := range []*Store{first, second} {
		if _, err := Seize(path); !errors.Is(err, ErrInUse) {
			t.Errorf("one that is open: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	release, err := Seize(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenSQLite(t.Context(), path); !errors.Is(err, ErrInUse) {
		t.Errorf("one that is seized: %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	open(t, path)
}
