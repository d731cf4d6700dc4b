package fleet

import (
	"time"

	"go.uber.org/zap"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/engineclient"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
	"github.com/svc-games/svc/engine-proxy/internal/sampled"
	"github.com/svc-games/svc/engine-proxy/lifecycle"
	"github.com/svc-games/svc/engine-proxy/settle"
)

// callDeadline bounds one question to engine, driver or ledger that takes no time.
const callDeadline = engineclient.QuickCall

// attend begins everything that a ready engine needs: its feed, the comparison
// of its jobs, and looks at what it does.
func (a *actor) attend(r *incarnation) {
	a.px.log.Info("engine is ready", zap.String("project", a.id), zap.Uint64("generation", r.entry.Generation),
		zap.Int("pid", r.pid), zap.String("version", r.ready.Version))
	if r.ticket == nil {
		a.px.metrics.adopted(outcomeAdopted)
		a.px.wg.Go(func() { a.undrainAdoptedAgain(r) })
	}
	feed := settle.Feed{
		ProjectID: a.id, FeedID: r.ready.FeedID, Client: r.client,
		Logger: sampled.Logger(a.px.log).With(zap.String("project", a.id), zap.String("instance", r.entry.InstanceID)),
		Report: func(err error) {
			a.post(func() { a.feedReported(r, err) })
		},
	}
	a.px.wg.Go(func() { a.px.settler.Follow(r.ctx, feed) })
	a.px.wg.Go(func() { a.px.settler.GiveUpUnknown(r.ctx, a.id, r.client) })
	a.observe(r)
}

// feedReported deals with a report that is in the ledger, or with a feed that
// can't be read.
func (a *actor) feedReported(r *incarnation, err error) {
	if err == nil {
		a.step(func(m *lifecycle.Machine, _ time.Time) { m.FeedAdvanced(r.number) })
		return
	}
	a.px.log.Error("engine's feed can't be read; stopping the engine", zap.String("project", a.id), zap.Error(err))
	a.px.metrics.failed(failFeed)
	a.step(func(m *lifecycle.Machine, now time.Time) {
		m.FeedBroken(now, r.number, lifecycle.Failure{Code: failFeed, Reason: "The engine's reports can't be read."})
	})
}

// observe arms the next look at the engine. The looks go on as long as the
// incarnation does.
func (a *actor) observe(r *incarnation) {
	a.px.clock.AfterFunc(spread(a.px.opts.Timing.Observe), func() {
		if r.ctx.Err() != nil {
			return
		}
		ctx, cancel := clock.Within(r.ctx, a.px.clock, callDeadline)
		defer cancel()
		asked := a.px.clock.Now()
		act, err := r.client.Activity(ctx)
		a.post(func() {
			if r.ctx.Err() != nil {
				return
			}
			if err != nil {
				a.px.log.Warn("engine is unhealthy", zap.String("project", a.id), zap.Error(err))
			}
			a.step(func(m *lifecycle.Machine, now time.Time) {
				if err != nil {
					m.Silent(r.number)
					return
				}
				m.Observed(now, asked, r.number, act)
			})
			a.observe(r)
		})
	})
}

// Between looks for an engine while the driver is unavailable.
const (
	inspectRetry    = 100 * time.Millisecond
	inspectRetryMax = 5 * time.Second
)

// checkForEnd deals with the driver's word that an instance may have ended; ""
// stands for all.
func (a *actor) checkForEnd(instanceID string) {
	if r := a.run; r != nil && (instanceID == "" || r.instance() == instanceID) {
		a.step(func(m *lifecycle.Machine, _ time.Time) { m.MayHaveEnded(r.number) })
	}
}

// inspect asks the driver whether the engine is still there, until it has an
// answer: nobody hints at an end twice. One look is under way at a time; whoever
// wants another meanwhile gets it after that.
func (a *actor) inspect(r *incarnation) {
	handle := r.entry.Handle
	if handle.IsZero() {
		return
	}
	if r.inspecting {
		r.inspectAgain = true
		return
	}
	r.inspecting = true
	a.async(func() func() {
		obs, err := a.inspectUntilAnswered(r, handle)
		return func() {
			again := r.inspectAgain
			r.inspecting, r.inspectAgain = false, false
			switch {
			case err != nil: // it is to stop
			case !obs.Running:
				r.exit, r.exited = obs.Exit, true
				a.ended(r)
			default:
				a.alive(r)
				if again && a.run == r {
					a.inspect(r)
				}
			}
		}
	})
}

// inspectUntilAnswered looks for an instance until the driver answers, or it is to stop.
func (a *actor) inspectUntilAnswered(r *incarnation, h driver.Handle) (driver.Observed, error) {
	for wait, logged := inspectRetry, false; ; wait = min(2*wait, inspectRetryMax) {
		ctx, cancel := clock.Within(r.ctx, a.px.clock, callDeadline)
		obs, err := a.px.inspect(ctx, h)
		cancel()
		if err == nil || r.ctx.Err() != nil {
			return obs, err
		}
		if !logged {
			logged = true
			a.px.log.Warn("inspecting engine failed", zap.String("project", a.id), zap.Error(err))
		}
		if err := clock.Sleep(r.ctx, a.px.clock, wait); err != nil {
			return obs, err
		}
	}
}

// alive deals with an engine that provably runs.
func (a *actor) alive(r *incarnation) {
	was := a.machine.State()
	f := lifecycle.Failure{Code: failSilent, Reason: "The engine runs and does not answer."}
	a.step(func(m *lifecycle.Machine, now time.Time) { m.Present(now, r.number, f) })
	if was != engineproxy.StateStopping && a.machine.State() == engineproxy.StateStopping {
		a.px.metrics.failed(failSilent)
	}
}

// ended deals with an engine that provably is gone, uncalled for.
func (a *actor) ended(r *incarnation) {
	if a.run != r || r.ctx.Err() != nil {
		return
	}
	f := exitFailure(r.exit)
	if s := a.machine.State(); s == engineproxy.StateReady || s == engineproxy.StateDraining {
		a.px.log.Warn("engine ended unexpectedly", zap.String("project", a.id), zap.String("how", r.exit.String()))
		a.px.metrics.failed(f.Code)
	}
	a.step(func(m *lifecycle.Machine, now time.Time) { m.Exited(now, r.number, f) })
}
