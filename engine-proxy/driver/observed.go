package driver

import (
	"fmt"
	"time"
)

// Observed is what a driver sees of an instance.
type Observed struct {
	ProjectID  string
	InstanceID string
	Generation uint64 // of its start; 0 when the driver does not say
	Handle     Handle
	Volume     string   // Spec.Volume of its start: tells installations apart
	Endpoint   Endpoint // where it listens; zero while that is not known yet
	PID        int      // 0 when the instance is no process of this machine
	// Running: it has not ended. One that is being placed, or whose machine
	// is unavailable, runs until the contrary is known.
	Running bool
	Exit    *Exit // set when it does not run and how it ended is known
}

// Reason is why an instance ended, for programs.
type Reason string

// The reasons. A driver may have more of its own.
const (
	ReasonExited  Reason = "exited"  // by itself, with an exit code
	ReasonKilled  Reason = "killed"  // by a signal
	ReasonOOM     Reason = "oom"     // it took more memory than it may
	ReasonRefused Reason = "refused" // it never ran: it could not be confined or its program not be run
	ReasonUnknown Reason = "unknown" // nobody saw how
)

// Exit is how an instance ended.
type Exit struct {
	Code   int // exit code; -1 when a signal ended it or it is not known
	Signal int // 0 when no signal ended it
	Reason Reason
	Detail string // what stood in the way when it was refused; for the operator's eyes
	At     time.Time
}

// String says how the instance ended, as the end of a sentence that begins
// with its name.
func (e *Exit) String() string {
	switch {
	case e == nil || e.Reason == ReasonUnknown:
		return "ended"
	case e.Reason == ReasonOOM:
		return "took more memory than it may"
	case e.Reason == ReasonRefused:
		return "could not be run"
	case e.Signal != 0:
		return fmt.Sprintf("was ended by signal %d", e.Signal)
	case e.Code >= 0:
		return fmt.Sprintf("ended with exit code %d", e.Code)
	}
	return fmt.Sprintf("ended: %s", e.Reason)
}
