package rig

import (
	"testing"

	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/test/programs"
)

// Main runs the tests of a package and then stops what they started. It is what
// TestMain passes to os.Exit.
func Main(m *testing.M) int { return postgrestest.Main(m) }

// Program returns the path of one of the rig's own programs, gateway, engine or
// engineproxy. The shim, which an engine proxy starts, lies beside it.
func Program(t testing.TB, name string) string {
	t.Helper()
	programs.Build(t, "cmd/svc-shim")
	return programs.Build(t, "test/rig/"+name)
}
