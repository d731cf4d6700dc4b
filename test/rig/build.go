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
// engineproxy, and builds all at the first call, as "make build" does, so that what
// they are made of is built already. What engine proxies start lies beside them.
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
		shim, err := os.ReadFile(Bin(t, "svc-shim"))
		if built.err = errors.Join(err, os.WriteFile(filepath.Join(built.dir, "svc-shim"), shim, 0o755)); built.err != nil {
			return
		}
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", built.dir+string(filepath.Separator),
			"./test/rig/gateway", "./test/rig/engine", "./test/rig/engineproxy")
		cmd.Dir, cmd.Env = Root(t), append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			built.err = errors.Join(err, errors.New(string(out)))
		}
	})
	if built.err != nil {
		t.Fatalf("building the programs: %v", built.err)
	}
	return filepath.Join(built.dir, name)
}
