package docker

import (
	"errors"
	"fmt"
	"testing"

	cerrdefs "github.com/containerd/errdefs"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

func TestErrorsOfTheDaemonMeanWhatTheyProve(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		err  error
		want error
	}{
		"bad option":     {failed("x", fmt.Errorf("invalid mount: %w", cerrdefs.ErrInvalidArgument)), driver.ErrFatalSpec},
		"full disk":      {failed("x", errors.New("mkdir overlay2: no space left on device")), driver.ErrCapacity},
		"full memory":    {failed("x", errors.New("fork/exec runc: cannot allocate memory")), driver.ErrCapacity},
		"trouble inside": {failed("x", fmt.Errorf("oops: %w", cerrdefs.ErrInternal)), driver.ErrUnavailable},
		"a volume":       {driverkit.Blocked(reasonVolume, errors.New("read-only file system")), driver.ErrUnavailable},
		"absence":        {absence(fmt.Errorf("No such container: x: %w", cerrdefs.ErrNotFound)), driver.ErrNotFound},
		"absence of all": {absence(fmt.Errorf("page not found: %w", cerrdefs.ErrNotFound)), driver.ErrUnavailable},
	}
	all := []error{driver.ErrFatalSpec, driver.ErrCapacity, driver.ErrUnavailable, driver.ErrNotFound, driver.ErrIdentity}
	for name, tc := range tests {
		for _, e := range all {
			if errors.Is(tc.err, e) != (e == tc.want) {
				t.Errorf("%s: %v; is it %v: %t", name, tc.err, e, errors.Is(tc.err, e))
			}
		}
	}
}
