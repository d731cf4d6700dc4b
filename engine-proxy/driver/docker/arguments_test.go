package docker

import (
	"slices"
	"testing"

	"github.com/svc-games/svc/engine-proxy/driver"
)

func TestEngineGetsItsBrowserAndTheBoundOfItsVolume(t *testing.T) {
	t.Parallel()
	o := Options{Chromium: "/usr/lib/chromium/chromium", Limits: driver.Limits{Volume: 1 << 30}}
	args := arguments(driver.Spec{}, o)
	for _, want := range [][]string{{"--chromium", "/usr/lib/chromium/chromium"}, {"--volume-bytes", "1073741824"}} {
		if i := slices.Index(args, want[0]); i < 0 || args[i+1] != want[1] {
			t.Errorf("%v is not in %v", want, args)
		}
	}
	for _, flag := range []string{"--chromium", "--volume-bytes"} {
		if plain := arguments(driver.Spec{}, Options{}); slices.Contains(plain, flag) {
			t.Errorf("without options, %s is in %v", flag, plain)
		}
	}
}
