package fleet

import (
	"context"
	"maps"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
	"github.com/svc-games/svc/engine-proxy/lifecycle"
)

// reap looks at all unfinished jobs at regular times: their engines are
// brought back, and reservations that are overdue are put to the engine. It
// works until the proxy ends.
func (p *Proxy) reap() {
	for {
		if err := p.reapOnce(p.ctx); err != nil && p.ctx.Err() == nil {
			p.log.Warn("looking after unfinished jobs failed", zap.Error(err))
		}
		p.admission.Recheck()
		if clock.Sleep(p.ctx, p.clock, p.opts.Timing.Reap) != nil {
			return
		}
	}
}

func (p *Proxy) reapOnce(ctx context.Context) error {
	ctx, cancel := clock.Within(ctx, p.clock, callDeadline)
	defer cancel()
	if err := p.claim(ctx); err != nil {
		return err
	}
	jobs, err := p.opts.Ledger.OpenJobs(ctx, "")
	if err != nil {
		return err
	}
	byProject := make(map[string][]contract.OpenJob)
	for _, j := range jobs {
		if api.ValidProjectID(j.ProjectID) {
			byProject[j.ProjectID] = append(byProject[j.ProjectID], j)
		}
	}
	for id := range byProject {
		p.actor(id)
	}
	for _, a := range p.all() {
		jobs := byProject[a.id]
		if len(jobs) == 0 && a.quiet.Load() {
			continue // else none is news as well
		}
		a.post(func() { a.unfinished(jobs) })
	}
	return nil
}

// all returns every actor there is.
func (p *Proxy) all() []*actor {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Values(p.actors))
}

// review asks at once whether the project has unfinished jobs, for which its
// engine is started whoever asks for it or not. The reaper asks too, so that a
// failure here costs seconds only.
func (a *actor) review() {
	if a.px.closing.Load() {
		return
	}
	a.apart(func() func() {
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
	a.boundJobs(jobs)
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
// One that can't be asked now is left for the next time.
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
	a.apart(func() func() {
		for _, id := range overdue {
			if err := a.px.resolve(r, id); err != nil && r.ctx.Err() == nil {
				a.px.log.Warn("resolving overdue reservation failed", zap.String("job", id), zap.Error(err))
			}
		}
		return func() { a.fencing = false }
	})
}

func (p *Proxy) resolve(r *incarnation, jobID string) error {
	var verdict contract.FenceVerdict
	err := p.call(r.ctx, func(ctx context.Context) (err error) {
		verdict, err = r.client.Fence(ctx, jobID)
		return err
	})
	if err != nil {
		return err
	}
	return p.opts.Ledger.Resolve(r.ctx, jobID, verdict)
}
