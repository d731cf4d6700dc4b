// Package need says what becomes of a test for which the machine lacks something.
package need

import (
	"os"
	"testing"
)

// Missing skips a test, and says what the machine lacks. CI lacks nothing: with CI=true
// the test fails.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}
