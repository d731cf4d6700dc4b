package fleet

import (
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
	"github.com/svc-games/svc/engine-proxy/lifecycle"
	"github.com/svc-games/svc/engine-proxy/settle"
)

// review asks at once whether the project has unfinished jobs, for which its
// engine is started whoever asks for it or not. The reaper asks too, so that a
// failure here costs seconds only.
func (a *actor) review() {
	if a.px.closing.Load() {
		return
	}
	a.async(func() func() {
		ctx, cancel := clock.Within(a.px.ctx, a.px.clock, callDeadline)
		defer cancel()
		jobs, err := a.px.opts.Ledger.OpenJobs(ctx, a.id)
		if err != nil {
			a.px.log.Warn("asking for unfinished jobs failed", zap.String("project", a.id), zap.Error(err))
			return nil
		}
		return func() { a.unfinished(jobs) }
	})
}

// reviewAt reviews at the moment from which a start is allowed again, so that
// unfinished jobs wait no longer than the back-off says.
func (a *actor) reviewAt(next time.Time) {
	a.px.clock.AfterFunc(next.Sub(a.px.clock.Now()), func() {
		a.post(func() {
			if a.machine.State() == engineproxy.StateFailed {
				a.review()
			}
		})
	})
}

// unfinished sees to jobs that were open a moment ago.
func (a *actor) unfinished(jobs []contract.OpenJob) {
	a.jobs = jobs
	if len(jobs) > 0 && a.owner == "" {
		a.owner = jobs[0].OwnerID
	}
	if a.machine.State() == engineproxy.StateReady {
		a.fenceOverdue(jobs)
	}
	a.endOverdueJobs(jobs)
	if a.px.closing.Load() {
		return
	}
	accepted := 0
	for _, j := range jobs {
		if !j.Reserved { // whether a reserved one was accepted, only the engine knows
			accepted++
		}
	}
	a.step(func(m *lifecycle.Machine, now time.Time) {
		m.Unfinished(now, len(jobs), accepted)
		m.Tick(now)
	})
}

// fenceOverdue asks the ready engine about reservations past their deadline.
// One that is unavailable now is left for the next time.
func (a *actor) fenceOverdue(jobs []contract.OpenJob) {
	var overdue []string
	for _, j := range jobs {
		if j.Reserved && j.Overdue {
			overdue = append(overdue, j.JobID)
		}
	}
	if len(overdue) == 0 || a.fencing {
		return
	}
	a.fencing = true
	r := a.run
	a.async(func() func() {
		for _, id := range overdue {
			if err := a.px.settler.Resolve(r.ctx, r.client, id); err != nil && r.ctx.Err() == nil {
				a.px.log.Warn("resolving overdue reservation failed", zap.String("job", id), zap.Error(err))
			}
		}
		return func() { a.fencing = false }
	})
}

// endOverdueJobs sees to it that a job ends in time: its engine is asked to end it,
// and when it does not, the job is ended without it and the engine stopped.
func (a *actor) endOverdueJobs(jobs []contract.OpenJob) {
	r, timing := a.run, a.px.opts.Timing
	ready := a.machine.State() == engineproxy.StateReady
	worked := a.overrun.Look(a.px.clock.Now(), ready, jobs, 2*timing.Reap)
	j := settle.Working(jobs)
	if !ready || j == nil || worked < timing.Job || a.bounding {
		return
	}
	a.bounding = true
	final := worked >= timing.Job+timing.JobGrace
	a.async(func() func() {
		err := a.px.settler.EndOverdue(r.ctx, r.client, r.ready.FeedID, *j, final)
		if err != nil && r.ctx.Err() == nil {
			a.px.log.Warn("ending overdue job failed", zap.String("job", j.JobID), zap.Error(err))
		}
		return func() {
			a.bounding = false
			if final && err == nil {
				a.jobHeld(r)
			}
		}
	})
}

// jobHeld stops an engine whose job had to be ended without it. The jobs
// that wait behind it bring the next one.
func (a *actor) jobHeld(r *incarnation) {
	a.px.log.Error("engine does not end a job; stopping the engine", zap.String("project", a.id), zap.String("instance", r.instance()))
	a.px.metrics.failed(failHeld)
	a.step(func(m *lifecycle.Machine, now time.Time) {
		m.Overran(now, r.number, lifecycle.Failure{Code: failHeld, Reason: "The engine does not end its jobs."})
	})
}

// giveUp ends the accepted jobs of an engine that can't be brought back. It is
// called when no instance runs, and none is started before it is done.
func (a *actor) giveUp() {
	jobs := a.jobs
	a.async(func() func() {
		a.px.settler.GiveUpAll(a.px.ctx, jobs)
		return a.stepping(func(m *lifecycle.Machine, _ time.Time) { m.GivenUp() })
	})
}
