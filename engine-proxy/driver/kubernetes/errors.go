package kubernetes

import (
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

// What the owner of a project may see of a start that failed.
const (
	reasonNotAllowed = "The engine's pod is not allowed by the cluster's rules."
	reasonNoRight    = "The engine proxy may not run engines in the cluster."
	reasonInvalid    = "The engine's pod can't be made as configured."
	reasonUnconfined = "The engine's pod can't be confined."
	reasonNoImage    = "The engine's image is missing."
	reasonNoProgram  = "The engine's program can't be run."
	reasonEarlier    = "An earlier engine of the project may still run."
	reasonNewer      = "A newer engine of the project was started elsewhere."
	reasonVolume     = "The project's volume is not available."
)

// absence is ErrNotFound when the API server itself says that there is no such
// object. A 404 of anything that stands before it proves nothing.
func absence(err error, name string) error {
	if saysAbsent(err, name) {
		return fmt.Errorf("%w: %w", driver.ErrNotFound, err)
	}
	return driverkit.Unavailable(err)
}

func saysAbsent(err error, name string) bool {
	var status apierrors.APIStatus
	if !apierrors.IsNotFound(err) || !errors.As(err, &status) {
		return false
	}
	details := status.Status().Details
	return details != nil && details.Name == name
}

// failed is the error of a start that the API server has refused.
func failed(what string, err error) error {
	err = fmt.Errorf("%s: %w", what, err)
	said := err.Error()
	switch {
	case apierrors.IsForbidden(err) && strings.Contains(said, "exceeded quota"):
		return driverkit.Full(err)
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return driverkit.Refused(reasonNotAllowed, err)
	case apierrors.IsForbidden(err) && strings.Contains(said, " cannot "):
		return driverkit.Refused(reasonNoRight, err)
	case apierrors.IsForbidden(err):
		return driverkit.Refused(reasonNotAllowed, err)
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err), apierrors.IsNotFound(err):
		return driverkit.Refused(reasonInvalid, err)
	}
	return driverkit.Unavailable(err)
}
