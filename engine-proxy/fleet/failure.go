package fleet

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/engine-proxy/admission"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/engineclient"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
	"github.com/svc-games/svc/engine-proxy/lifecycle"
)

// Codes of failures, as they stand in metrics and in what operators see.
const (
	failExited   = "exited"   // it ended by itself
	failOOM      = "oom"      // it took more memory than it may
	failTimeout  = "timeout"  // it was not ready in time
	failProgram  = "program"  // what is to be run is missing or can't be run
	failIdentity = "identity" // another one answers on its socket
	failSocket   = "socket"   // its socket may not be opened
	failVolume   = "volume"   // its directories can't be made or written, or another driver keeps them
	failNoRoom   = "no_room"  // no memory, disk or turn for it
	failDriver   = "driver"   // the driver is unavailable
	failSilent   = "silent"   // it runs and does not answer
	failFeed     = "feed"     // its reports break the contract
	failHeld     = "held"     // it does not end its jobs
	failApart    = "apart"    // it can't be kept apart from another owner's
)

// failureCodes lists them.
var failureCodes = []string{
	failExited, failOOM, failTimeout, failProgram, failIdentity, failSocket, failVolume, failNoRoom, failDriver, failSilent, failFeed, failHeld, failApart,
}

// volumeError is about an engine's directories.
type volumeError struct{ err error }

func (e *volumeError) Error() string { return e.err.Error() }

func (e *volumeError) Unwrap() error { return e.err }

// failureOf is what the client sees of a start that failed; the error,
// which may name paths of this machine, is for the log. A failure counts
// against the unfinished jobs unless the cause is that nothing could be tried.
func failureOf(err error) (f lifecycle.Failure, counts bool) {
	var exit *exitError
	var volume *volumeError
	switch {
	case errors.As(err, &exit):
		code := failExited
		if exit.exit != nil && exit.exit.Reason == driver.ReasonOOM {
			code = failOOM
		}
		f = lifecycle.Failure{Code: code, Reason: "The engine " + exit.exit.String() + " before it was ready."}
		return f, true
	case errors.Is(err, admission.ErrNoTurn):
		return lifecycle.Failure{Code: failNoRoom, Reason: "Too many engines start at once."}, false
	case errors.Is(err, errVolumeElsewhere):
		f = lifecycle.Failure{Code: failVolume, Fatal: true}
	case errors.Is(err, errWeakIsolation):
		f = lifecycle.Failure{Code: failApart, Fatal: true}
	case errors.Is(err, driver.ErrFatalSpec):
		f = lifecycle.Failure{Code: failProgram, Reason: "The engine's program can't be run.", Fatal: true}
		counts = true
	case errors.Is(err, driver.ErrCapacity), errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT):
		f = lifecycle.Failure{Code: failNoRoom, Reason: "There is no room for the engine."}
	case errors.As(err, &volume):
		f = lifecycle.Failure{Code: failVolume, Reason: "The engine's directories can't be written."}
		counts = true
	case errors.Is(err, engineclient.ErrIdentity):
		f = lifecycle.Failure{Code: failIdentity, Reason: "The engine is not the one that was started."}
		counts = true
	case errors.Is(err, fs.ErrPermission):
		f = lifecycle.Failure{Code: failSocket, Reason: "The engine's socket can't be opened."}
		counts = true
	case errors.Is(err, clock.ErrDeadline):
		f = lifecycle.Failure{Code: failTimeout, Reason: "The engine was not ready in time."}
		counts = true
	default:
		f = lifecycle.Failure{Code: failDriver, Reason: "The engine could not be started."}
	}
	var reason *driver.ReasonError
	if errors.As(err, &reason) {
		f.Reason = reason.Reason
	}
	return f, counts
}

// exitFailure is the failure of an engine that ended when it was ready.
func exitFailure(exit *driver.Exit) lifecycle.Failure {
	f, _ := failureOf(&exitError{exit})
	f.Reason = "The engine " + exit.String() + "."
	return f
}
