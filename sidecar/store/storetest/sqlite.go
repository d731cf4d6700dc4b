package storetest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/svc-games/svc/sidecar/store"
)

// migrated is a SQLite database with its tables and without a row but those of a
// new one.
var migrated = sync.OnceValues(func() (file []byte, err error) {
	dir, err := os.MkdirTemp("", "migrated")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "svc.db")
	s, err := store.OpenSQLite(context.Background(), path)
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// SQLite puts a new database at path, which store.OpenSQLite would make there in
// several times the time.
func SQLite(t testing.TB, path string) {
	t.Helper()
	file, err := migrated()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
}
