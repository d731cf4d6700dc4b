package store

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPathMayHoldWhatMeansSomethingInAURL(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b?c=d#e%41&f")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "svc.db")
	s := open(t, path)
	if err := s.Update(t.Context(), addUser("a")); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		t.Errorf("the database is elsewhere: %v", err)
	}
}

func TestRelativePathIsUnderTheWorkingDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	s := open(t, "svc.db")
	if err := s.Update(t.Context(), addUser("a")); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat("svc.db"); err != nil || info.Size() == 0 {
		t.Errorf("the database is elsewhere: %v", err)
	}
}

func TestDatabaseFilesAreForTheirOwnerOnly(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "svc.db")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	if err := s.Update(t.Context(), addUser("a")); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) < 2 {
		t.Errorf("%d files, want the database and its log", len(entries))
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %o", e.Name(), info.Mode().Perm())
		}
	}
}

func TestSQLiteLogsAheadAndFlushesEveryCommit(t *testing.T) {
	s := opened(t, openers["SQLite"](t))
	// A misspelt pragma in an address is no error, and nothing else would show it.
	for pragma, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "wal_autocheckpoint": "4000", "cache_size": "-16384",
	} {
		if err := s.Update(t.Context(), func(tx *Tx) error {
			var got string
			if err := tx.Row("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
				t.Errorf("%s is %q, %v; want %s", pragma, got, err, want)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.View(t.Context(), func(r *Reader) error {
		var readOnly int
		if err := r.Row("PRAGMA query_only").Scan(&readOnly); err != nil || readOnly != 1 {
			t.Errorf("what reads may write: %d, %v", readOnly, err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
