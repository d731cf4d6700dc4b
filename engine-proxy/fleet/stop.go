package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
	"github.com/svc-games/svc/engine-proxy/lifecycle"
	"github.com/svc-games/svc/engine-proxy/state"
)

const (
	stopRetry = time.Second            // between attempts while the driver is unavailable
	busyRetry = 500 * time.Millisecond // between attempts to drain an engine that works

	// settleGrace is how long a stop without patience waits for the ledger to take what an
	// engine that has nothing else to do reported last.
	settleGrace = 2 * time.Second
	settleRetry = 50 * time.Millisecond
)

// stop stops the instance, if there is one, and tries until it is provably
// gone: never two engines on one volume.
func (a *actor) stop(r *incarnation) {
	r.cancel(errStopped)
	r.releaseTurn()
	e, clear := r.entry, a.px.removeInstance
	if !r.tried && r.ticket != nil {
		clear = a.px.clearJournal
	}
	began := a.px.clock.Now()
	a.async(func() func() {
		for {
			err := clear(e)
			if err == nil {
				return a.stepping(func(m *lifecycle.Machine, now time.Time) { m.Stopped(now, r.number) })
			}
			if a.px.ctx.Err() != nil {
				return nil // the next engine proxy finds it in the journal
			}
			report := a.px.log.Warn
			if a.px.clock.Now().Sub(began) > 2*a.px.opts.Timing.StopGrace {
				report = a.px.log.Error // somebody should look
			}
			report("stopping engine failed", zap.String("project", a.id), zap.Error(err))
			if clock.Sleep(a.px.ctx, a.px.clock, stopRetry) != nil {
				return nil
			}
		}
	})
}

// clearJournal notes that no instance is meant to run, of a project whose journal
// names one that does not.
func (p *Proxy) clearJournal(e state.Entry) error {
	if e.InstanceID == "" {
		return nil // none ever was
	}
	if e.Unread {
		before, err := state.ReadEntry(p.layout.State(e.ProjectID))
		if err != nil {
			// Starts are refused until it is repaired: nobody else knows the generation.
			p.log.Error("journal of a stopped engine is left as it is", zap.String("project", e.ProjectID), zap.Error(err))
			return nil
		}
		e = before // it was repaired meanwhile
	}
	e.InstanceID, e.Handle = "", driver.Handle{}
	if err := state.RemoveSocketDir(e.Socket, p.layout.Runtime(e.ProjectID)); err != nil {
		// It stays in the journal, and is in no one's way: the next start tries again.
		p.log.Warn("socket directory of a stopped engine stays", zap.String("project", e.ProjectID), zap.Error(err))
	} else {
		e.Socket = ""
	}
	return state.WriteEntry(p.layout.State(e.ProjectID), e)
}

// removeInstance stops an instance and notes that none is meant to run.
func (p *Proxy) removeInstance(e state.Entry) error {
	if e.InstanceID == "" {
		return nil
	}
	timing := p.opts.Timing
	ctx, cancel := clock.Within(p.ctx, p.clock, 2*timing.StopGrace+stopRetry)
	defer cancel()
	handle := e.Handle
	if handle.IsZero() {
		// The start ended in an error; what it may have left carries our id.
		var err error
		if handle, err = p.findHandle(ctx, e); err != nil {
			return err
		}
	}
	if !handle.IsZero() {
		if err := p.opts.Driver.Stop(ctx, handle, timing.StopGrace); err != nil {
			return fmt.Errorf("stopping instance: %w", err)
		}
		p.saveLog(ctx, e.ProjectID, handle)
		if err := p.opts.Driver.Remove(ctx, handle); err != nil {
			return fmt.Errorf("removing instance: %w", err)
		}
	}
	p.stopEgress(e.ProjectID)
	return p.clearJournal(e)
}

// stopAndWait stops the engine and returns when it is gone. Without force it
// waits for work if wait is set, and else returns ErrBusy.
func (a *actor) stopAndWait(ctx context.Context, force, wait bool) error {
	var busy error // once the engine has refused to drain
	settled := a.px.clock.Now().Add(settleGrace)
	for {
		var target *incarnation
		var drains bool
		err := a.do(ctx, func() {
			target = a.run
			drains = a.machine.State() == engineproxy.StateReady
			a.step(func(m *lifecycle.Machine, now time.Time) {
				if force || (!wait && m.State() == engineproxy.StateStarting) {
					m.StopNow(now)
					return
				}
				m.DrainNow(now)
			})
		})
		if err != nil {
			return errors.Join(busy, err)
		}
		if target == nil {
			return nil
		}
		outcome, err := a.awaitStopped(ctx, target)
		switch {
		case err != nil && force:
			return err
		case err != nil:
			return errors.Join(engineproxy.ErrBusy, err)
		case outcome == nil || outcome != target:
			return nil
		}
		busy = engineproxy.ErrBusy
		again := busyRetry
		if !wait && drains {
			if a.px.clock.Now().After(settled) || !a.hasNoJob(ctx, target) {
				return busy
			}
			again = settleRetry
		}
		if err := clock.Sleep(ctx, a.px.clock, again); err != nil {
			return errors.Join(busy, err)
		}
	}
}

// hasNoJob reports whether an engine that refused to drain waited for the ledger's word
// on its reports alone.
func (a *actor) hasNoJob(ctx context.Context, r *incarnation) bool {
	works := true
	err := clock.Do(ctx, a.px.clock, callDeadline, func(ctx context.Context) error {
		activity, err := r.client.Activity(ctx)
		works = activity.Works()
		return err
	})
	return err == nil && !works
}

// awaitStopped waits until the actor is neither starting nor stopping, or has gone
// on to another incarnation than target, and returns the one it has then.
func (a *actor) awaitStopped(ctx context.Context, target *incarnation) (*incarnation, error) {
	for {
		var now *incarnation
		var moving bool
		changed := a.view.Load().changed
		if err := a.do(ctx, func() {
			now = a.run
			moving = a.machine.State() != engineproxy.StateReady && now != nil
		}); err != nil {
			return nil, err
		}
		if !moving || now != target {
			return now, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return now, ctx.Err()
		}
	}
}
