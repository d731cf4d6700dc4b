package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/engineclient"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
	"github.com/svc-games/svc/engine-proxy/lifecycle"
)

// drain asks the engine to take no more jobs.
func (a *actor) drain(r *incarnation) {
	a.async(func() func() {
		err := clock.Do(r.ctx, a.px.clock, callDeadline, r.client.Drain)
		answer := lifecycle.DrainAccepted
		switch {
		case errors.Is(err, engineclient.ErrBusy):
			answer = lifecycle.DrainBusy
		case err != nil:
			answer = lifecycle.DrainUnknown
			if r.ctx.Err() == nil {
				a.px.log.Warn("draining engine failed", zap.String("project", a.id), zap.Error(err))
			}
		}
		return a.stepping(func(m *lifecycle.Machine, now time.Time) { m.Drained(now, r.number, answer) })
	})
}

// undrain takes the drain back, and tries until the engine knows.
func (a *actor) undrain(r *incarnation) {
	a.async(func() func() {
		for wait := 50 * time.Millisecond; ; wait = min(2*wait, callDeadline) {
			err := clock.Do(r.ctx, a.px.clock, callDeadline, r.client.Undrain)
			if err == nil {
				return a.stepping(func(m *lifecycle.Machine, now time.Time) { m.Undrained(now, r.number) })
			}
			if r.ctx.Err() == nil {
				a.px.log.Warn("undraining engine failed", zap.String("project", a.id), zap.Error(err))
			}
			if clock.Sleep(r.ctx, a.px.clock, wait) != nil {
				return nil
			}
		}
	})
}

// undrainAdopted undoes a drain that an earlier engine proxy may have left: the
// engine would refuse jobs for ever.
func (p *Proxy) undrainAdopted(ctx context.Context, r *incarnation) error {
	for {
		err := clock.Do(ctx, p.clock, callDeadline, r.client.Undrain)
		if err == nil {
			return nil
		}
		if ended := clock.Sleep(ctx, p.clock, adoptRetry); ended != nil {
			return fmt.Errorf("%w: undraining engine that was found: %w", ended, err)
		}
	}
}

// undrainAdoptedAgain does it once more when no call of the earlier engine proxy
// can be under way any longer, unless we drain it ourselves.
func (a *actor) undrainAdoptedAgain(r *incarnation) {
	if clock.Sleep(r.ctx, a.px.clock, callDeadline) != nil {
		return
	}
	ready := false
	if err := a.do(r.ctx, func() { ready = a.run == r && a.machine.State() == engineproxy.StateReady }); err != nil || !ready {
		return
	}
	if err := clock.Do(r.ctx, a.px.clock, callDeadline, r.client.Undrain); err != nil && r.ctx.Err() == nil {
		a.px.log.Warn("undraining adopted engine failed", zap.String("project", a.id), zap.Error(err))
	}
}
