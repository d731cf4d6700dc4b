// Package program builds the fake engine for tests. A test binary that was built
// with the race detector would start ten times as slowly, and an engine is
// started twice, the first time as its shim.
package program

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

const source = "github.com/svc-games/svc/engine-proxy/internal/fakeengine/cmd/fakeengine"

// built is there once a test has asked for it.
var built struct {
	sync.Once
	dir, path string
	err       error
}

// Path returns the path of the program, which every user can run and which needs
// no other file. The package's TestMain must end with Main, or
// call Remove.
func Path(t testing.TB) string {
	t.Helper()
	built.Do(func() { built.err = build() })
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.path
}

func build() (err error) {
	if built.dir, err = os.MkdirTemp("", "fake"); err != nil {
		return err
	}
	if err := os.Chmod(built.dir, 0o755); err != nil {
		return err
	}
	built.path = filepath.Join(built.dir, filepath.Base(source))
	// As "make build" does it, so that its packages are in the cache.
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", built.path, source)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", source, err, out)
	}
	return nil
}

// Main runs a package's tests, removes what was built for them and ends the
// process.
func Main(m *testing.M) {
	code := m.Run()
	if err := Remove(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// Remove removes what was built, if anything was.
func Remove() error { return os.RemoveAll(built.dir) }
