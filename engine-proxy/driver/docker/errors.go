package docker

import (
	"fmt"
	"strings"

	cerrdefs "github.com/containerd/errdefs"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

// absence is ErrNotFound when the daemon itself says that there is no such
// container. A 404 of anything that stands before it proves nothing.
func absence(err error) error {
	if cerrdefs.IsNotFound(err) && strings.Contains(strings.ToLower(err.Error()), "no such container") {
		return fmt.Errorf("%w: %w", driver.ErrNotFound, err)
	}
	return driverkit.Unavailable(err)
}

// failed is the error of a start that the daemon has refused.
func failed(what string, err error) error {
	err = fmt.Errorf("%s: %w", what, err)
	said := err.Error()
	switch {
	case cerrdefs.IsInvalidArgument(err):
		return driverkit.Refused("The engine's container can't be made as configured.", err)
	case strings.Contains(said, "no space left on device"), strings.Contains(said, "cannot allocate memory"):
		return driverkit.Full(err)
	}
	return driverkit.Unavailable(err)
}
