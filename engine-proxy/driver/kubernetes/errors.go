package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/svc-games/svc/engine-proxy/driver"
)

// What the owner of a project may see of a start that failed.
const (
	reasonNotAllowed = "The engine's pod is not allowed by the cluster's rules."
	reasonNoRight    = "The engine proxy may not run engines in the cluster."
	reasonInvalid    = "The engine's pod can't be made as configured."
	reasonUnconfined = "The engine's pod can't be confined."
	reasonNoRoom     = "There is no room for another engine."
	reasonNoImage    = "The engine's image is missing."
	reasonNoProgram  = "The engine's program can't be run."
	reasonEarlier    = "An earlier engine of the project may still run."
	reasonNewer      = "A newer engine of the project was started elsewhere."
	reasonVolume     = "The project's volume is not available."
)

// unavailable marks an error of which nothing may be concluded.
func unavailable(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %w", driver.ErrUnavailable, err)
}

// absence is ErrNotFound when the API server itself says that there is no such
// object. A 404 of anything that stands before it proves nothing.
func absence(err error, name string) error {
	if saysAbsent(err, name) {
		return fmt.Errorf("%w: %w", driver.ErrNotFound, err)
	}
	return unavailable(err)
}

func saysAbsent(err error, name string) bool {
	var status apierrors.APIStatus
	if !apierrors.IsNotFound(err) || !errors.As(err, &status) {
		return false
	}
	details := status.Status().Details
	return details != nil && details.Name == name
}

// gone turns the errors that prove an instance's absence into success.
func gone(err error) error {
	if errors.Is(err, driver.ErrNotFound) || errors.Is(err, driver.ErrIdentity) {
		return nil
	}
	return err
}

// failed is the error of a start that the API server has refused.
func failed(what string, err error) error {
	err = fmt.Errorf("%s: %w", what, err)
	said := err.Error()
	switch {
	case apierrors.IsForbidden(err) && strings.Contains(said, "exceeded quota"):
		return full(err)
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return refused(reasonNotAllowed, err)
	case apierrors.IsForbidden(err) && strings.Contains(said, " cannot "):
		return refused(reasonNoRight, err)
	case apierrors.IsForbidden(err):
		return refused(reasonNotAllowed, err)
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err), apierrors.IsNotFound(err):
		return refused(reasonInvalid, err)
	}
	return unavailable(err)
}

// blocked is a start that succeeds once what is in its way is gone.
func blocked(reason string, err error) error {
	return &driver.ReasonError{Reason: reason, Err: unavailable(err)}
}

// full is a start for which there is no room now.
func full(err error) error {
	return &driver.ReasonError{Reason: reasonNoRoom, Err: fmt.Errorf("%w: %w", driver.ErrCapacity, err)}
}

// refused is a start that can't succeed as things are, with the sentence that
// the project's owner may see.
func refused(reason string, err error) error {
	return &driver.ReasonError{Reason: reason, Err: fmt.Errorf("%w: %w", driver.ErrFatalSpec, err)}
}
