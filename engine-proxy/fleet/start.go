package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
	"github.com/svc-games/svc/engine-proxy/internal/durable"
	"github.com/svc-games/svc/engine-proxy/lifecycle"
	"github.com/svc-games/svc/engine-proxy/state"
)

// queue has the decision to start an engine put on disk, and waits for a turn
// among the starts, and for room.
func (a *actor) queue(number uint64) {
	r := a.newIncarnation(number)
	ticket, err := a.px.admission.Enter(a.id, a.owner, a)
	if err != nil {
		a.refused = err
		a.px.metrics.refused(err)
		r.cancel(errStopped)
		a.machine.NoRoom(a.px.clock.Now(), number)
		return
	}
	r.ticket, r.began = ticket, a.px.clock.Now()
	a.run = r
	owner := a.owner
	a.async(func() func() {
		ctx, cancel := clock.Within(r.ctx, a.px.clock, a.px.opts.Timing.Queue)
		defer cancel()
		// It takes waiting for the disk, not the processor, and so no turn: what
		// many starts write down together the disk takes at once.
		e, token, err := a.px.prepare(a.id, owner)
		if err == nil {
			err = ticket.Wait(ctx)
		}
		return func() {
			r.entry, r.token = e, token
			if err != nil {
				a.startFailed(r, err)
				return
			}
			a.step(func(m *lifecycle.Machine, _ time.Time) { m.Granted(number) })
		}
	})
}

// prepare makes what the next engine of a project finds, and puts the decision
// to start it on disk, its generation with it.
func (p *Proxy) prepare(projectID, owner string) (e state.Entry, token string, err error) {
	before, err := state.ReadEntry(p.layout.State(projectID))
	if errors.Is(err, state.ErrDamaged) {
		err = &driver.ReasonError{Reason: "The journal of the project's engine is damaged; an operator has to repair it.", Err: err}
	}
	if err != nil {
		return state.Entry{}, "", err
	}
	if err := p.checkVolume(projectID, before); err != nil {
		return state.Entry{}, "", err
	}
	socket, err := p.layout.Prepare(projectID, before.Socket)
	if err != nil {
		return state.Entry{}, "", &volumeError{err}
	}
	token = state.NewToken()
	if err := durable.Replace(p.layout.Token(projectID), []byte(token)); err != nil {
		return state.Entry{}, "", &volumeError{fmt.Errorf("writing engine token: %w", err)}
	}
	now := p.clock.Now()
	e = state.Entry{
		ProjectID: projectID, OwnerID: owner, Generation: before.Generation + 1,
		InstanceID: mint.NewInstanceID(now), Socket: socket, Away: p.remote != nil && before.VolumeElsewhere(), At: now.UTC(),
	}
	if p.remote != nil {
		e.Authority = p.authorities.Current().Name()
	}
	if err := p.recordStart(e); err != nil {
		return state.Entry{}, "", err
	}
	return e, token, nil
}

// launch has the driver make the instance.
func (a *actor) launch(r *incarnation) {
	timing := a.px.opts.Timing
	r.stopTimer = a.px.clock.AfterFunc(timing.Start, func() { r.cancel(clock.ErrDeadline) })
	r.tried = true
	e, token := r.entry, r.token
	progress := func(p driver.Phase) {
		a.post(a.stepping(func(m *lifecycle.Machine, _ time.Time) { m.Advance(r.number, lifecycle.Phase(p)) }))
	}
	a.async(func() func() {
		ctx, cancel := clock.Within(r.ctx, a.px.clock, timing.Create)
		defer cancel()
		err := a.px.run(ctx, &e, token, progress)
		if err != nil && ctx.Err() != nil {
			err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
		return func() { a.launched(r, e, err) }
	})
}

// run has the driver make the instance, and returns once it is known where it
// listens. An error may leave an instance that List finds by its id.
func (p *Proxy) run(ctx context.Context, e *state.Entry, token string, progress func(driver.Phase)) error {
	spec, err := p.spec(*e, token)
	if err != nil {
		return err
	}
	if e.Handle, err = p.opts.Driver.Start(ctx, spec, progress); err != nil || !e.Endpoint().IsZero() {
		return err
	}
	e.Away = true
	if err := state.WriteEntry(spec.StateDir, *e); err != nil {
		return err // nothing may run for long that only List finds
	}
	at, err := p.locate(ctx, e.Handle)
	if err != nil {
		return err
	}
	e.SetEndpoint(at)
	return nil
}

// launched goes on with the new instance.
func (a *actor) launched(r *incarnation, e state.Entry, err error) {
	r.entry = e
	if err == nil && r.ctx.Err() != nil {
		err = context.Cause(r.ctx)
	}
	if err != nil {
		if errors.Is(err, driver.ErrCapacity) {
			a.px.admission.EvictOne()
		}
		a.startFailed(r, err)
		return
	}
	a.connect(r)
	a.step(func(m *lifecycle.Machine, _ time.Time) { m.Launched(r.number) })
}

// startFailed remembers why and clears away what the start left. A start that
// was called off is no failure.
func (a *actor) startFailed(r *incarnation, err error) {
	if errors.Is(err, errStopped) || a.px.ctx.Err() != nil {
		a.step(func(m *lifecycle.Machine, now time.Time) { m.CalledOff(now, r.number) })
		return
	}
	failure, counts := failureOf(err)
	a.px.log.Warn("engine failed to start", zap.String("project", a.id), zap.String("code", failure.Code),
		zap.Uint64("generation", r.entry.Generation), zap.Error(err))
	a.px.metrics.failed(failure.Code)
	a.step(func(m *lifecycle.Machine, now time.Time) { m.StartFailed(now, r.number, failure, counts) })
}

// spec says what the driver is to run, and opens the engine's way to models.
func (p *Proxy) spec(e state.Entry, token string) (driver.Spec, error) {
	s := driver.Spec{
		Incarnation: driver.Incarnation{ProjectID: e.ProjectID, Generation: e.Generation, InstanceID: e.InstanceID},
		OwnerID:     e.OwnerID,
		Volume:      p.layout.Volume(e.ProjectID),
		StateDir:    p.layout.State(e.ProjectID),
	}
	models, err := p.serveEgress(e, token)
	if err != nil {
		return s, err
	}
	if p.remote == nil {
		s.RuntimeDir, s.Socket, s.TokenFile, s.Egress = p.layout.Runtime(e.ProjectID), e.Socket, p.layout.Token(e.ProjectID), models
		return s, nil
	}
	s.Remote = &driver.RemoteSpec{Token: token, CA: p.authorities.PEM(), Egress: models}
	s.Remote.Cert, s.Remote.Key, err = p.authorities.By(e.Authority).Issue(e.InstanceID)
	return s, err
}
