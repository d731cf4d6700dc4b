// Package storetest gives tests stores of every kind to run on. A package whose
// tests use it runs them by postgrestest.Main.
package storetest

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/svc-games/svc/sidecar/store"
)

// Database is a kind of store that suites run on.
type Database struct {
	Name string
	// New makes an empty database and returns a function that opens it; opening
	// it again finds what was written.
	New func(t testing.TB) (open func() (*store.Store, error))
}

// Databases are all kinds.
var Databases = []Database{
	{"SQLite", func(t testing.TB) func() (*store.Store, error) {
		path := filepath.Join(t.TempDir(), "svc.db")
		SQLite(t, path)
		return func() (*store.Store, error) { return store.OpenSQLite(context.Background(), path) }
	}},
	{"PostgreSQL", func(t testing.TB) func() (*store.Store, error) {
		// No test of a suite crashes the server, so none needs its disk flushes.
		url := schema(t) + "&synchronous_commit=off"
		return func() (*store.Store, error) { return store.OpenPostgres(context.Background(), url) }
	}},
}

// OnEach runs a test on a new database of each kind.
func OnEach(t *testing.T, test func(t *testing.T, s *store.Store)) {
	t.Helper()
	for _, d := range Databases {
		t.Run(d.Name, func(t *testing.T) { test(t, Open(t, d.New(t))) })
	}
}

// Open opens a store and closes it at the end of the test.
func Open(t testing.TB, open func() (*store.Store, error)) *store.Store {
	t.Helper()
	s, err := open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
