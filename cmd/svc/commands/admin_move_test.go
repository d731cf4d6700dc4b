package commands

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
)

func TestStoreIsNotMovedWhileAServiceHasIt(t *testing.T) {
	dir, to := t.TempDir(), postgrestest.URL(t)
	file := filepath.Join(dir, store.SQLiteFile)
	s, err := store.OpenSQLite(t.Context(), file) // a service without an admin socket
	if err != nil {
		t.Fatal(err)
	}
	if _, err := moveStore(t.Context(), dir, to); err == nil || !strings.Contains(err.Error(), "runs: stop it first") {
		t.Errorf("beside a service: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := moveStore(t.Context(), dir, to); err != nil {
		t.Error(err)
	}
	_, gone := os.Stat(file)
	if _, err := os.Stat(file + movedSuffix); err != nil || !errors.Is(gone, fs.ErrNotExist) {
		t.Errorf("after the move: %v, %v", gone, err)
	}
}
