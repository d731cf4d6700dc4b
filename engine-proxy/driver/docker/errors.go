package docker

import (
	"context"
	"errors"
	"fmt"
	"strings"

	cerrdefs "github.com/containerd/errdefs"

	"github.com/svc-games/svc/engine-proxy/driver"
)

// unavailable marks an error of which nothing may be concluded.
func unavailable(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %w", driver.ErrUnavailable, err)
}

// absence is ErrNotFound when the daemon itself says that there is no such
// container. A 404 of anything that stands before it proves nothing.
func absence(err error) error {
	if cerrdefs.IsNotFound(err) && strings.Contains(strings.ToLower(err.Error()), "no such container") {
		return fmt.Errorf("%w: %w", driver.ErrNotFound, err)
	}
	return unavailable(err)
}

// gone turns the errors that prove an instance's absence into success.
func gone(err error) error {
	if errors.Is(err, driver.ErrNotFound) || errors.Is(err, driver.ErrIdentity) {
		return nil
	}
	return err
}

// failed is the error of a start that the daemon has refused.
func failed(what string, err error) error {
	err = fmt.Errorf("%s: %w", what, err)
	said := err.Error()
	switch {
	case cerrdefs.IsInvalidArgument(err):
		return refused("The engine's container can't be made as configured.", err)
	case strings.Contains(said, "no space left on device"), strings.Contains(said, "cannot allocate memory"):
		return &driver.ReasonError{
			Reason: "There is no room for another engine.", Err: fmt.Errorf("%w: %w", driver.ErrCapacity, err),
		}
	}
	return unavailable(err)
}

// blocked is a start that succeeds once what is in its way is gone.
func blocked(reason string, err error) error {
	return &driver.ReasonError{Reason: reason, Err: unavailable(err)}
}

// refused is a start that can't succeed as things are, with the sentence that
// the project's owner may see.
func refused(reason string, err error) error {
	return &driver.ReasonError{Reason: reason, Err: fmt.Errorf("%w: %w", driver.ErrFatalSpec, err)}
}
