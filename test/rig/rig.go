// Package rig runs the service's programs, and what they stand on, as
// processes, for the tests that need several of them and for the benchmarks.
package rig

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-games/svc/test/programs"
)

// Root returns the repository's folder.
func Root(t testing.TB) string {
	t.Helper()
	root, err := programs.Root()
	if err != nil {
		t.Fatal(err)
	}
	return root
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

// Program returns the path of one of the rig's own programs, gateway, engine or
// engineproxy. The shim, which an engine proxy starts, lies beside it.
func Program(t testing.TB, name string) string {
	t.Helper()
	programs.Build(t, "cmd/svc-shim")
	return programs.Build(t, "test/rig/"+name)
}
