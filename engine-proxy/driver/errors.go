package driver

import "errors"

// Errors of a Driver. Any other error counts as ErrUnavailable.
var (
	// ErrNotFound: the instance provably does not exist any more.
	ErrNotFound = errors.New("no such engine instance")
	// ErrUnavailable: the backend is unavailable; nothing may be concluded.
	ErrUnavailable = errors.New("the engine backend is unavailable")
	// ErrIdentity: the handle now names something else, a recycled process id
	// for one. It must never be signalled. Our instance is gone.
	ErrIdentity = errors.New("the handle belongs to something else now")
	// ErrCapacity: the backend has no room for another instance now.
	ErrCapacity = errors.New("there is no room for another engine")
	// ErrFatalSpec: what is to be run can't be run; a retry without a change
	// of configuration is useless.
	ErrFatalSpec = errors.New("the engine can't be run as configured")
)

// ReasonError is an error of a Driver whose cause may be shown to the owner of
// the project: it names no path and no host of the machine.
type ReasonError struct {
	Reason string // one sentence, like "The engine's image is missing."
	Err    error  // wraps one of the errors above
}

func (e *ReasonError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *ReasonError) Unwrap() error { return e.Err }
