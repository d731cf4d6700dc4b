// Package driverkit is what drivers share.
package driverkit

import (
	"context"
	"errors"
	"fmt"

	"github.com/svc-games/svc/engine-proxy/driver"
)

// Unavailable marks an error of which nothing may be concluded.
func Unavailable(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %w", driver.ErrUnavailable, err)
}

// IgnoreGone turns the errors that prove an instance's absence into success.
func IgnoreGone(err error) error {
	if errors.Is(err, driver.ErrNotFound) || errors.Is(err, driver.ErrIdentity) {
		return nil
	}
	return err
}

// Blocked is the error of a start that succeeds once what is in its way is gone.
// Like those below it has a sentence that the project's owner may see.
func Blocked(reason string, err error) error {
	return &driver.ReasonError{Reason: reason, Err: Unavailable(err)}
}

// NoRoom is what the project's owner sees of Full.
const NoRoom = "There is no room for another engine."

// Full is the error of a start for which there is no room now.
func Full(err error) error {
	return &driver.ReasonError{Reason: NoRoom, Err: fmt.Errorf("%w: %w", driver.ErrCapacity, err)}
}

// Refused is the error of a start that can't succeed as things are.
func Refused(reason string, err error) error {
	return &driver.ReasonError{Reason: reason, Err: fmt.Errorf("%w: %w", driver.ErrFatalSpec, err)}
}
