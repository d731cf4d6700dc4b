package fleet

import (
	"fmt"
	"sync/atomic"
	"time"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/lifecycle"
)

// phases that a StartingError may carry besides those of a start.
const (
	phaseRecovering = "recovering"
	phaseStopping   = "stopping"
)

// submit answers a submission: with a lease when the engine is ready, else
// seeing to it that one is on its way.
func (a *actor) submit(owner string) (*engineproxy.Lease, error) {
	if owner != "" {
		a.owner = owner
	}
	if a.deleted {
		return nil, fmt.Errorf("%w: the project is deleted", engineproxy.ErrAbsent)
	}
	if a.machine.State() == engineproxy.StateReady {
		return a.lease(), nil
	}
	a.requestStart(lifecycle.CauseSubmission)
	if a.refused != nil && a.machine.State() == engineproxy.StateAbsent {
		return nil, a.refused
	}
	return nil, a.refusal()
}

// attach answers a stream or read.
func (a *actor) attach() (*engineproxy.Lease, error) {
	switch a.machine.State() {
	case engineproxy.StateReady:
		return a.lease(), nil
	case engineproxy.StateDraining:
		a.step(func(m *lifecycle.Machine, _ time.Time) { m.Attached() })
	case engineproxy.StateFailed:
		return nil, fmt.Errorf("%w: %s", engineproxy.ErrAbsent, a.published.Failure.Reason)
	case engineproxy.StateAbsent:
		return nil, engineproxy.ErrAbsent
	}
	return nil, a.refusal()
}

// requestStart sees to it that an engine is on its way, if that is allowed now.
func (a *actor) requestStart(why lifecycle.Cause) {
	a.refused = nil
	if a.px.closing.Load() {
		return
	}
	a.step(func(m *lifecycle.Machine, now time.Time) { m.RequestStart(now, why) })
}

// refusal says why there is no lease now.
func (a *actor) refusal() error {
	s := a.machine.Status()
	failed := func() error {
		next := s.Failure.NextAt
		if s.Failure.Fatal {
			next = a.px.clock.Now().Add(a.px.opts.Timing.BackOffMax) // a person has to act first
		}
		return &engineproxy.FailedError{Reason: s.Failure.Reason, Next: next, Fatal: s.Failure.Fatal}
	}
	switch s.State {
	case engineproxy.StateStarting:
		return &engineproxy.StartingError{State: s.State, Phase: string(s.Phase)}
	case engineproxy.StateRecovering:
		return &engineproxy.StartingError{State: s.State, Phase: phaseRecovering}
	case engineproxy.StateFailed:
		return failed()
	case engineproxy.StateStopping:
		if !s.Failure.None() {
			return failed()
		}
		return &engineproxy.StartingError{State: s.State, Phase: phaseStopping}
	case engineproxy.StateDraining:
		return &engineproxy.StartingError{State: s.State, Phase: phaseStopping}
	}
	if s.Frozen {
		return fmt.Errorf("%w: driver unavailable", engineproxy.ErrUnreachable)
	}
	return fmt.Errorf("%w: it is not started now", engineproxy.ErrUnreachable)
}

// lease keeps the ready engine from being stopped.
func (a *actor) lease() *engineproxy.Lease {
	var run uint64
	a.step(func(m *lifecycle.Machine, now time.Time) { run = m.Lease(now) })
	var released atomic.Bool
	return &engineproxy.Lease{
		Endpoint: a.run.at,
		Release: func() {
			if released.Swap(true) {
				return
			}
			a.post(a.stepping(func(m *lifecycle.Machine, now time.Time) { m.Release(now, run) }))
		},
	}
}
