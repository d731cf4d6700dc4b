package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/svc-games/svc/sidecar/store/postgrestest"
)

func countUsers(ctx context.Context, address string) (n int, err error) {
	err = ReadOnly(ctx, address, func(r *Reader) error { return r.Row("SELECT count(*) FROM users").Scan(&n) })
	return n, err
}

func TestDatabaseIsReadWhileItIsOpenAndWhenItIsNot(t *testing.T) {
	path := filepath.Join(t.TempDir(), SQLiteFile)
	for name, address := range map[string]string{"SQLite": path, "PostgreSQL": postgrestest.URL(t)} {
		t.Run(name, func(t *testing.T) {
			openIt := OpenSQLite
			if IsPostgresURL(address) {
				openIt = OpenPostgres
			}
			s, err := openIt(t.Context(), address)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Update(t.Context(), addUser("a")); err != nil {
				t.Fatal(err)
			}
			if n, err := countUsers(t.Context(), address); n != 1 || err != nil {
				t.Errorf("while it is open: %d users, %v", n, err)
			}
			if err := s.Update(t.Context(), addUser("b")); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if n, err := countUsers(t.Context(), address); n != 2 || err != nil {
				t.Errorf("when it is closed: %d users, %v", n, err)
			}
			gone, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := countUsers(gone, address); !errors.Is(err, context.Canceled) {
				t.Errorf("after the end of its context: %v", err)
			}
		})
	}
}

func TestDamagedPageIsFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), SQLiteFile)
	if _, err := CheckFile(t.Context(), path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a file: %v", err)
	}
	s, err := OpenSQLite(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if faults, err := CheckFile(t.Context(), path); len(faults) > 0 || err != nil {
		t.Errorf("found %q, %v", faults, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	clear(raw[len(raw)-4096:]) // the last page
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if faults, err := CheckFile(t.Context(), path); len(faults) == 0 && err == nil {
		t.Error("found nothing")
	}
}

func TestReadingLeavesAFolderAsItWas(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, SQLiteFile)
	if _, err := countUsers(t.Context(), path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a file: %v", err)
	}
	s, err := OpenSQLite(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	lock := path + lockSuffix // of the service that had it
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	err = ReadOnly(t.Context(), path, func(r *Reader) error {
		return (&Tx{*r}).Each(func(Scan) error { return nil }, "INSERT INTO users (id, created_at) VALUES ('a', 1)")
	})
	if err == nil {
		t.Error("a statement that writes succeeded")
	}
	after, err := os.ReadFile(path)
	if err != nil || !slices.Equal(before, after) {
		t.Errorf("the file was changed (%v)", err)
	}
	if names, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || !slices.Equal(names, []string{path, lock}) {
		t.Errorf("the folder has %q (%v)", names, err)
	}
}

func TestSchemaOfAnotherVersionIsNotRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), SQLiteFile)
	s := open(t, path)
	if err := s.Update(t.Context(), func(tx *Tx) error {
		_, err := tx.Exec("INSERT INTO schema_steps (version, name, applied_at) VALUES (9999, 'later', 1)")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := countUsers(t.Context(), path); !errors.Is(err, ErrOtherVersion) {
		t.Errorf("got %v, want ErrOtherVersion", err)
	}
}
