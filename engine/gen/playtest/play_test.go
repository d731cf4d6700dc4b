package playtest

import (
	"errors"
	"os"
	"testing"
)

// chromium is the pool of the one browser that the tests share: starting one takes
// as much as playing a game in it.
var chromium = NewPool("")

func TestMain(m *testing.M) {
	code := m.Run()
	chromium.Close()
	os.Exit(code)
}

// testBrowser returns the Chromium that the tests share. Without one the test is
// skipped, in CI it fails.
func testBrowser(t *testing.T) *Browser {
	t.Helper()
	b, release, err := chromium.Get()
	if errors.Is(err, ErrNoBrowser) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { release(false) })
	return b
}
