// Package rig runs the service's programs, and what they stand on, as
// processes, for the tests that need several of them and for the benchmarks.
package rig

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/wait"
)

// Patience bounds every wait for another process.
const Patience = wait.Patience

// Root returns the repository's folder.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	t.Fatalf("finding the repository: no go.mod above the working directory: %v", err)
	return ""
}

// Bin returns the path of a program that "make build" made.
func Bin(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("SVC_BIN")
	if dir == "" {
		dir = filepath.Join(Root(t), "bin")
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%s is missing: run make build", path)
	}
	return path
}

// Dir makes a folder whose path is short, since it holds sockets, and removes it
// at the end.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "svc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		keep.Folder(t, filepath.Base(dir), dir)
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// Eventually waits for other processes to make ok true.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	wait.Until(t, what, ok)
}
