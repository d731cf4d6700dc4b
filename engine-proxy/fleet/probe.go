package fleet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/engineclient"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
	"github.com/svc-games/svc/engine-proxy/lifecycle"
	"github.com/svc-games/svc/engine-proxy/state"
)

const probeDeadline = time.Second // of one readiness probe

// probePause is how long to wait before one asks again for what has not come since
// waited: so that it is seen at most a tenth late.
func probePause(waited time.Duration) time.Duration {
	const shortest, longest = 2 * time.Millisecond, 250 * time.Millisecond
	return min(max(waited/10, shortest), longest)
}

// probe asks the new instance until it is ready, while the journal learns where
// it is.
func (a *actor) probe(r *incarnation) {
	e := r.entry
	a.async(func() func() {
		noted := make(chan error, 1)
		go func() { noted <- state.WriteEntry(a.px.layout.State(a.id), e) }()
		ready, err := a.awaitReady(r, e.Handle)
		r.ticket.Close() // what is left to wait for is the disk
		if noteErr := <-noted; noteErr != nil {
			err = errors.Join(err, noteErr)
		}
		return func() { a.probed(r, ready, err) }
	})
}

// awaitReady returns once the new instance is ready.
func (a *actor) awaitReady(r *incarnation, h driver.Handle) (contract.Ready, error) {
	ctx, cancel := clock.Within(r.ctx, a.px.clock, a.px.opts.Timing.Boot)
	defer cancel()
	// An end before this moment found no one to be reported to.
	obs, err := a.px.inspect(ctx, h)
	switch {
	case err == nil && !obs.Running:
		err = &exitError{obs.Exit}
	case err != nil && ctx.Err() != nil: // that it has ended may be known by now
		err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	if err != nil {
		return contract.Ready{}, err
	}
	a.post(func() { r.observed(obs) })
	a.px.wg.Go(func() { a.px.releaseTurnOfWaiting(ctx, r.ticket, h) })
	return a.px.probe(ctx, r.client, func() {
		a.post(a.stepping(func(m *lifecycle.Machine, _ time.Time) { m.Answered(r.number) }))
	})
}

// inspect is Inspect with certain absence turned into an observation.
func (p *Proxy) inspect(ctx context.Context, h driver.Handle) (driver.Observed, error) {
	obs, err := p.opts.Driver.Inspect(ctx, h)
	if errors.Is(err, driver.ErrNotFound) || errors.Is(err, driver.ErrIdentity) {
		return driver.Observed{}, nil
	}
	return obs, err
}

// probe asks until the engine is ready, or ctx ends. onAnswer, unless nil, is called
// once, as soon as something answers. The error of a probe that was in vain holds
// what the last attempt met with.
func (p *Proxy) probe(ctx context.Context, c *engineclient.Client, onAnswer func()) (contract.Ready, error) {
	began := p.clock.Now()
	for {
		once, cancel := clock.Within(ctx, p.clock, probeDeadline)
		ready, met := c.Ready(once)
		cancel()
		var dial *net.OpError
		switch {
		case met == nil:
			return ready, nil
		case errors.Is(met, engineclient.ErrIdentity):
			return ready, met // it will never be another
		case onAnswer != nil && !(errors.As(met, &dial) && dial.Op == "dial"):
			onAnswer()
			onAnswer = nil
		}
		if err := clock.Sleep(ctx, p.clock, probePause(p.clock.Now().Sub(began))); err != nil {
			return ready, fmt.Errorf("%w: the last answer was: %w", err, met)
		}
	}
}

// probed ends a start or an adoption.
func (a *actor) probed(r *incarnation, ready contract.Ready, err error) {
	switch {
	case err != nil:
	case r.ctx.Err() != nil:
		err = context.Cause(r.ctx)
	case r.ticket != nil && !r.stopTimer():
		err = clock.ErrDeadline // fired just now, and is about to end r.ctx
	}
	if err != nil {
		a.startFailed(r, err)
		return
	}
	r.releaseTurn()
	r.ready = ready
	a.step(func(m *lifecycle.Machine, now time.Time) { m.BecameReady(now, r.number) })
}

var errNoAddress = errors.New("where the engine listens is not known yet")

// locate asks the driver where an instance listens until it is known. An
// instance that has ended is an *exitError.
func (p *Proxy) locate(ctx context.Context, h driver.Handle) (driver.Endpoint, error) {
	for began := p.clock.Now(); ; {
		once, cancel := clock.Within(ctx, p.clock, callDeadline)
		obs, met := p.inspect(once, h)
		cancel()
		switch {
		case met == nil && !obs.Running:
			return obs.Endpoint, &exitError{obs.Exit}
		case met == nil && !obs.Endpoint.IsZero():
			return obs.Endpoint, nil
		case met == nil:
			met = errNoAddress
		}
		waited := p.clock.Now().Sub(began)
		if err := clock.Sleep(ctx, p.clock, probePause(waited)); err != nil {
			return driver.Endpoint{}, fmt.Errorf("%w: waited %s: %w", err, waited.Round(time.Second), met)
		}
	}
}
