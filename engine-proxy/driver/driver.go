// Package driver is the contract between the engine proxy, which decides when
// an engine runs, and the driver that runs it: as a process of this machine by
// default.
//
// A driver knows three answers and keeps them apart: an instance is there, it
// is provably not there (ErrNotFound), or nobody knows (ErrUnavailable). Only
// the second may lead to a new start on the same volume.
//
// Package drivertest holds the suite that every driver passes.
package driver

import (
	"context"
	"time"
)

// Driver runs instances. Implementations are safe for concurrent use, and
// every call honours its context.
type Driver interface {
	// Name is what handles carry.
	Name() string

	// Capabilities tells what the driver keeps engines from.
	Capabilities() Capabilities

	// Check asks whether the backend can be used at all, quickly and without
	// changing anything: nil, ErrUnavailable, or ErrFatalSpec when a start
	// could not succeed as things are configured.
	Check(ctx context.Context) error

	// Start runs an instance and returns once it exists, not when it is ready.
	// It is idempotent on InstanceID. After an error nothing is left behind,
	// or something that List finds. ErrFatalSpec, ErrCapacity or
	// ErrUnavailable. Progress, which may be nil, is called before each phase
	// begins, not after Start has returned.
	Start(ctx context.Context, s Spec, progress func(Phase)) (Handle, error)

	// Adopt takes over an instance that an earlier process started, so that
	// Watch reports its end. ErrNotFound, ErrIdentity or ErrUnavailable.
	Adopt(ctx context.Context, h Handle) (Observed, error)

	// Inspect tells what is known of an instance. How one ended is known until
	// Remove, also when it ended while nobody watched.
	Inspect(ctx context.Context, h Handle) (Observed, error)

	// List finds every running instance, without any memory of its own. Those
	// of another installation may be among them.
	List(ctx context.Context) ([]Observed, error)

	// Stop asks the instance to end, waits up to grace and then kills it with
	// everything it started. It returns nil when the instance is gone, also
	// when it was before.
	Stop(ctx context.Context, h Handle, grace time.Duration) error

	// Remove clears what the backend keeps of an ended instance, and does
	// nothing when it keeps nothing. It refuses one that runs. It never touches
	// the volume.
	Remove(ctx context.Context, h Handle) error

	// Watch reports ends until ctx is done, and then closes the channel.
	Watch(ctx context.Context) (<-chan Event, error)

	// Logs returns the last bytes of what the instance wrote to standard
	// output and error, at most limit, from its start until Remove. It is
	// untrusted text. ErrNotFound or ErrUnavailable.
	Logs(ctx context.Context, h Handle, limit int64) ([]byte, error)
}

// Phase is a step of Start, for those who wait.
type Phase string

// The phases of Start, in their order.
const (
	PhasePulling  Phase = "pulling"  // what is to be run is fetched
	PhaseCreating Phase = "creating" // the instance is made
)

// Event is a hint that an instance has ended. Hints may be late, doubled or
// lost: the receiver asks Inspect. One without ids says that hints may have
// been lost, and that all instances are to be asked for.
type Event struct {
	ProjectID  string
	InstanceID string
}
