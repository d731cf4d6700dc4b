// Package engineproxy says what the engine proxy is for those that use it, and
// what it needs of the sidecar and of the way to models. Package fleet is the
// engine proxy itself.
package engineproxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/engine-proxy/lifecycle"
)

// Errors of Engines and Archive.
var (
	// ErrAbsent: the project's engine does not run, and was not started.
	ErrAbsent = errors.New("the engine does not run")
	// ErrUnreachable: the engine, its driver or the engine proxy did not answer.
	// Nothing may be concluded from it.
	ErrUnreachable = errors.New("the engine can't be reached")
	// ErrBusy: the engine works, and was not stopped.
	ErrBusy = errors.New("the engine works")
	// ErrNotArchived: the archive has nothing of this job.
	ErrNotArchived = errors.New("not in the archive")
)

// MaxLog bounds, in bytes, what Logs returns.
const MaxLog = 64 << 10

// State is where an engine is in its life.
type State = lifecycle.State

// Transition is one step in an engine's life.
type Transition = lifecycle.Transition

// The states.
const (
	StateAbsent     = lifecycle.Absent
	StateStarting   = lifecycle.Starting
	StateReady      = lifecycle.Ready
	StateDraining   = lifecycle.Draining
	StateStopping   = lifecycle.Stopping
	StateFailed     = lifecycle.Failed
	StateRecovering = lifecycle.Recovering
)

// StartingError says that an engine is on its way and when to ask again.
type StartingError struct {
	State State  // starting, draining, stopping or recovering
	Phase string // queued, creating, booting, probing, recovering, stopping
}

func (e *StartingError) Error() string { return "the engine is starting: " + e.Phase }

// FailedError says that the last start failed and when the next is allowed.
type FailedError struct {
	Reason string // one sentence, for the client's eyes
	Next   time.Time
	Fatal  bool // there is no next start before Reset, or another configuration
}

func (e *FailedError) Error() string {
	return fmt.Sprintf("the engine failed to start: %s", e.Reason)
}

// RoomError says that there is no room for another engine, and when there may
// be.
type RoomError struct {
	Owner      bool // the owner has as many as one may have; else the machine is full
	Most       int  // the cap
	RetryAfter time.Duration
}

func (e *RoomError) Error() string {
	if e.Owner {
		return fmt.Sprintf("the owner has %d engines already", e.Most)
	}
	return fmt.Sprintf("the machine has %d engines already", e.Most)
}

// Project names a project and its owner, by whom starts are shared out fairly.
type Project struct {
	ID      string `json:"id"`
	OwnerID string `json:"ownerId"`
}

// Lease keeps an engine from being stopped while it is used. Release must be
// called once.
type Lease struct {
	Endpoint
	Release func()
}

// Engines is what the gateway needs of the engine proxy. Implementations are
// safe for concurrent use.
type Engines interface {
	// Submit returns the project's ready engine for a submission. An absent
	// engine is started, detached from ctx; the call waits for it up to hold
	// and then returns a *StartingError, or a *FailedError or *RoomError.
	Submit(ctx context.Context, p Project, hold time.Duration) (*Lease, error)

	// Attach returns the project's engine if it is ready, for a stream or a
	// read; it never starts one. ErrAbsent, or *StartingError.
	Attach(ctx context.Context, projectID string) (*Lease, error)

	// AwaitReady returns once the project's engine is ready, or ctx's error. It
	// never starts one.
	AwaitReady(ctx context.Context, projectID string) error

	// Fence asks the engine whether it accepted a job, and if not to promise
	// never to. ErrUnreachable when it is unavailable; an absent engine is not
	// started.
	Fence(ctx context.Context, p Project, jobID string) (contract.FenceVerdict, error)

	// Cancel hands a cancellation to the project's engine, waiting for one
	// that is on its way. It returns when the engine took it.
	Cancel(ctx context.Context, p Project, jobID string) error

	// Forget stops the project's engine and deletes its volume and archive.
	Forget(ctx context.Context, projectID string) error

	// Models lists the models that jobs may name besides api.ModelEmbedded.
	Models(ctx context.Context) ([]api.Model, error)

	// Problems are what keeps the engine proxy from starting engines, none when it can:
	// sentences without what exactly happened, which its log says. It asks what engines
	// depend on, so it is not for frequent checks.
	Problems(ctx context.Context) ([]string, error)

	// List describes every engine that is known, for operators.
	List(ctx context.Context) ([]Info, error)

	// Show describes one project's engine and how it came to be so.
	Show(ctx context.Context, projectID string) (Details, error)

	// Logs returns the last bytes, at most limit, of what the project's engine
	// wrote, or the one that ran last. It is untrusted text.
	Logs(ctx context.Context, projectID string, limit int64) ([]byte, error)

	// Stop drains and stops a project's engine; force does not wait for work. One
	// that does not run is stopped; ErrAbsent where there never was one.
	Stop(ctx context.Context, projectID string, force bool) error

	// Reset forgets that a project's engine failed to start, so that the next
	// submission starts it.
	Reset(ctx context.Context, projectID string) error

	Archive
}

// Archive serves what ended jobs left, without an engine.
type Archive interface {
	// Events returns the complete event log of a settled job.
	Events(ctx context.Context, jobID string) (sse.Log, error)
	// Files returns the ZIP of a settled job.
	Files(ctx context.Context, jobID string) (File, error)
}

// File is an archived ZIP. The caller closes it.
type File struct {
	io.ReadSeekCloser
	Size    int64
	SHA256  string
	ModTime time.Time
}

// Info describes an engine.
type Info struct {
	ProjectID    string            `json:"projectId"`
	OwnerID      string            `json:"ownerId"`
	State        State             `json:"state"`
	Phase        string            `json:"phase,omitempty"` // of starting
	InstanceID   string            `json:"instanceId,omitempty"`
	Generation   uint64            `json:"generation"`
	PID          int               `json:"pid,omitempty"`
	Since        time.Time         `json:"since"`
	Activity     contract.Activity `json:"activity"`
	AliveBecause string            `json:"aliveBecause,omitempty"` // why it is not stopped
	WouldStopAt  *time.Time        `json:"wouldStopAt,omitempty"`  // if nothing comes until then
	Failure      string            `json:"failure,omitempty"`
	FailureCode  string            `json:"failureCode,omitempty"`
	NextStart    *time.Time        `json:"nextStart,omitempty"` // not before; of a failure that is not fatal
	Fatal        bool              `json:"fatal,omitempty"`     // no start before a reset
}

// Details is Info with what came before.
type Details struct {
	Info
	Transitions []Transition `json:"transitions"` // the last ones, oldest first
}

// Ledger is what the engine proxy needs of the sidecar.
type Ledger = contract.Ledger

// Replays is what a Ledger may be besides.
type Replays = contract.Replayer

// Failure returns the record of a job that ended without its engine.
func Failure(r contract.JobRecord, code api.FailureCode, message string, at time.Time) contract.JobRecord {
	r.Status = api.JobFailed
	r.FinishedAt = &at
	r.Failure = &api.Failure{Code: code, Message: message}
	r.LastEventID++
	return r
}
