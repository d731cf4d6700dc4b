package rig

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/svc-games/svc/sidecar/store/postgrestest"
)

// built holds the programs that this test binary built for itself.
var built struct {
	once sync.Once
	dir  string
	err  error
}

// Main runs the tests of a package and then removes and stops what they made. It
// is what TestMain passes to os.Exit.
func Main(m *testing.M) int {
	code := postgrestest.Main(m)
	if built.dir != "" {
		if err := os.RemoveAll(built.dir); err != nil {
			fmt.Fprintln(os.Stderr, "removing the programs:", err)
			return max(code, 1)
		}
	}
	return code
}

// Program returns the path of one of the rig's own programs, gateway, engine or
// engineproxy, and builds all at the first call, and with them what they start and
// ask.
func Program(t testing.TB, name string) string {
	t.Helper()
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "rig"); built.err != nil {
			return
		}
		// Engines run as users of their own.
		if built.err = os.Chmod(built.dir, 0o755); built.err != nil {
			return
		}
		cmd := exec.Command("go", "build", "-o", built.dir+string(filepath.Separator), "./test/rig/gateway", "./test/rig/engine", "./test/rig/engineproxy",
			"./cmd/svc-shim", "./cmd/svc-sidecar")
		cmd.Dir = Root(t)
		if out, err := cmd.CombinedOutput(); err != nil {
			built.err = errors.Join(err, errors.New(string(out)))
		}
	})
	if built.err != nil {
		t.Fatalf("building the programs: %v", built.err)
	}
	return filepath.Join(built.dir, name)
}
