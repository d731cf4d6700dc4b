// Package policytest has the shipped policy for tests that need one and are about
// something else.
package policytest

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/svc-games/svc/policy"
)

// Fixed is a policy that never changes.
type Fixed struct{ *policy.Evaluator }

var embedded = sync.OnceValues(func() (*policy.Evaluator, error) { return policy.NewEvaluator(policy.Embedded()) })

// Embedded returns the policy that is shipped, compiled once for all tests of a process.
func Embedded(t testing.TB) Fixed {
	t.Helper()
	e, err := embedded()
	if err != nil {
		t.Fatal(err)
	}
	return Fixed{e}
}

func (Fixed) PolicyProblem() string { return "" }
func (Fixed) OnChange(func())       {}

// Example returns a directory with the policy of examples/readers.
func Example(t testing.TB) string {
	t.Helper()
	return ExampleOf(t, "readers")
}

// ExampleOf returns a directory with the policy of an example, put together as
// docs/policy.md says: the shipped policy, and the example's files over it.
func ExampleOf(t testing.TB, name string) string {
	t.Helper()
	root, err := os.Getwd() // a package's tests run in its directory
	if err != nil {
		t.Fatal(err)
	}
	for ; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		if root == filepath.Dir(root) {
			t.Fatal("the tests run outside of the module")
		}
	}
	overlay := filepath.Join(root, "policy", "examples", name)
	dir := t.TempDir()
	for _, src := range []fs.FS{policy.Embedded(), os.DirFS(overlay)} {
		if err := copyOver(dir, src); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func copyOver(dir string, src fs.FS) error {
	return fs.WalkDir(src, ".", func(name string, d fs.DirEntry, err error) error {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		text, err := fs.ReadFile(src, name)
		if err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o644)
	})
}
