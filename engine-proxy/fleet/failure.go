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

// errVolume: an engine's directories can't be made or written. Errors are marked
// with it by volumeError.
var errVolume = errors.New("the engine's directories can't be written")

type volumeError struct{ error }

func (e *volumeError) Unwrap() []error { return []error{errVolume, e.error} }

// failures are what is told of a start by its error: the first that fits. A failure
// counts against the unfinished jobs unless the cause is that nothing could be tried.
var failures = []struct {
	err    error
	code   string
	reason string // "" where the error has one itself
	fatal  bool
	counts bool
}{
	{err: admission.ErrNoTurn, code: failNoRoom, reason: "Too many engines start at once."},
	{err: errVolumeElsewhere, code: failVolume, fatal: true},
	{err: errWeakIsolation, code: failApart, fatal: true},
	{err: driver.ErrFatalSpec, code: failProgram, reason: "The engine's program can't be run.", fatal: true, counts: true},
	{err: driver.ErrCapacity, code: failNoRoom, reason: "There is no room for the engine."},
	{err: unix.ENOSPC, code: failNoRoom, reason: "There is no room for the engine."},
	{err: unix.EDQUOT, code: failNoRoom, reason: "There is no room for the engine."},
	{err: errVolume, code: failVolume, reason: "The engine's directories can't be written.", counts: true},
	{err: engineclient.ErrIdentity, code: failIdentity, reason: "The engine is not the one that was started.", counts: true},
	{err: fs.ErrPermission, code: failSocket, reason: "The engine's socket can't be opened.", counts: true},
	{err: clock.ErrDeadline, code: failTimeout, reason: "The engine was not ready in time.", counts: true},
	{err: driver.ErrUnavailable, code: failDriver, reason: "What runs the engines is not available right now."},
}

// failureOf is what the client sees of a start that failed; the error,
// which may name paths of this machine, is for the log.
func failureOf(err error) (f lifecycle.Failure, counts bool) {
	if exit, ok := errors.AsType[*exitError](err); ok {
		code := failExited
		if exit.exit != nil && exit.exit.Reason == driver.ReasonOOM {
			code = failOOM
		}
		return lifecycle.Failure{Code: code, Reason: "The engine " + exit.exit.String() + " before it was ready."}, true
	}
	f = lifecycle.Failure{Code: failDriver, Reason: "The engine could not be started."}
	for _, known := range failures {
		if errors.Is(err, known.err) {
			f, counts = lifecycle.Failure{Code: known.code, Reason: known.reason, Fatal: known.fatal}, known.counts
			break
		}
	}
	if reason, ok := errors.AsType[*driver.ReasonError](err); ok {
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
