package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
	"github.com/svc-games/svc/engine-proxy/lifecycle"
)

// reconcile compares at regular times what the driver runs with what the actors
// have. Events may be lost and journals too: no orphaned engine runs for longer
// than the grace. While the driver is unavailable, nothing is changed. The disk is looked
// at as often.
func (p *Proxy) reconcile() {
	orphans := make(map[string]time.Time) // instance ids, and when they were seen first
	up := true
	defer p.metrics.diskFree.Reset()
	for {
		p.metrics.disk(p.opts.DataDir)
		err := p.reconcileOnce(p.ctx, orphans)
		if now := err == nil; now != up && p.ctx.Err() == nil {
			up = now
			if up {
				p.log.Info("driver available again")
			} else {
				p.log.Error("driver unavailable; nothing is started or stopped", zap.Error(err))
			}
			p.metrics.driverUp(up)
			p.frozen.Store(!up) // for actors to come
			for _, a := range p.all() {
				a.post(a.stepping(func(m *lifecycle.Machine, _ time.Time) { m.SetDriver(up) }))
			}
		}
		pause := p.opts.Timing.Reconcile
		if !up {
			pause = min(pause, p.opts.Timing.Reap)
		}
		if clock.Sleep(p.ctx, p.clock, pause) != nil {
			return
		}
	}
}

func (p *Proxy) reconcileOnce(ctx context.Context, orphans map[string]time.Time) error {
	ctx, cancel := clock.Within(ctx, p.clock, callDeadline)
	defer cancel()
	// What can't be started as configured says so when it is started.
	if err := p.opts.Driver.Check(ctx); err != nil && !errors.Is(err, driver.ErrFatalSpec) {
		return fmt.Errorf("checking driver: %w", err)
	}
	list, err := p.opts.Driver.List(ctx)
	if err != nil {
		return fmt.Errorf("listing engines: %w", err)
	}
	now := p.clock.Now()
	seen := make(map[string]bool)
	for _, obs := range list {
		if !api.ValidProjectID(obs.ProjectID) || obs.Volume != p.layout.Volume(obs.ProjectID) || !obs.Running {
			continue
		}
		seen[obs.InstanceID] = true
		known := false
		if a := p.find(obs.ProjectID); a != nil {
			err := a.do(ctx, func() { known = a.owns(obs.InstanceID) })
			if err != nil {
				return err
			}
		}
		if known {
			delete(orphans, obs.InstanceID)
			continue
		}
		if orphans[obs.InstanceID].IsZero() {
			orphans[obs.InstanceID] = now
			p.log.Warn("orphaned engine found", zap.String("project", obs.ProjectID),
				zap.String("instance", obs.InstanceID), zap.Int("pid", obs.PID))
		}
		if now.Sub(orphans[obs.InstanceID]) >= p.opts.Timing.Grace {
			p.stopOrphan(obs)
		}
	}
	for id := range orphans {
		if !seen[id] {
			delete(orphans, id)
		}
	}
	for _, a := range p.all() {
		if v := a.view.Load(); v.state == engineproxy.StateReady && !seen[v.target] {
			a.post(func() { a.checkForEnd(v.target) })
		}
	}
	return nil
}

// owns reports whether an instance is the actor's, or may be: what a start
// that is under way makes has no name yet.
func (a *actor) owns(instanceID string) bool {
	if a.run == nil {
		return false
	}
	return a.run.instance() == instanceID || a.run.instance() == ""
}

// stopOrphan ends an engine that is no actor's.
func (p *Proxy) stopOrphan(obs driver.Observed) {
	p.log.Error("stopping orphaned engine",
		zap.String("project", obs.ProjectID), zap.String("instance", obs.InstanceID), zap.Int("pid", obs.PID))
	p.metrics.stopped(causeOrphan)
	p.wg.Go(func() {
		if err := p.opts.Driver.Stop(p.ctx, obs.Handle, p.opts.Timing.StopGrace); err != nil {
			p.log.Error("stopping orphaned engine failed", zap.String("project", obs.ProjectID), zap.Error(err))
		}
	})
}

// handleEvent passes on what the driver noticed. One without ids means everyone.
func (p *Proxy) handleEvent(e driver.Event) {
	if e.ProjectID == "" {
		for _, a := range p.all() {
			a.post(func() { a.checkForEnd("") })
		}
		return
	}
	if a := p.find(e.ProjectID); a != nil {
		a.post(func() { a.checkForEnd(e.InstanceID) })
	}
}
