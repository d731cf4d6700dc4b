// Package long tells tests of the long run from the others.
package long

import (
	"os"
	"testing"
)

// Only skips the test unless the long run was asked for: by "make test-long", or
// with SVC_LONG=1. A test that is skipped here has a shorter one beside it that
// proves the same of fewer cases; docs/testing.md names both.
func Only(t testing.TB) {
	t.Helper()
	if !Asked() {
		t.Skip("part of make test-long (SVC_LONG=1)")
	}
}

// Asked reports whether this is the long run.
func Asked() bool { return os.Getenv("SVC_LONG") == "1" }
