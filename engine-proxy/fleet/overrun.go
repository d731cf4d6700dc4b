package fleet

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/lifecycle"
)

// heldTooLong is the message of a job that its engine did not end, for the
// client's eyes.
const heldTooLong = "The project's engine did not end the job in time."

// overrun measures for how long a ready engine has had accepted jobs and ended
// none of them. An engine bounds its jobs itself; one that does not would hold
// its owner's slots for ever. Only time counts in which the ledger, too, could
// be asked: without it no engine can end a job.
type overrun struct {
	jobs   map[string]bool // accepted and not ended at the last look
	at     time.Time       // of the last look at a ready engine; zero when it was not ready
	worked time.Duration   // since a job has ended
}

// look is told the unfinished jobs and returns how long none has ended. No
// more than gap is counted for the time since the last look.
func (o *overrun) look(now time.Time, ready bool, jobs []contract.OpenJob, gap time.Duration) time.Duration {
	accepted := make(map[string]bool, len(jobs))
	for _, j := range jobs {
		if !j.Reserved {
			accepted[j.JobID] = true
		}
	}
	ended := len(o.jobs) == 0
	for id := range o.jobs {
		ended = ended || !accepted[id]
	}
	switch {
	case ended:
		o.worked = 0
	case ready && !o.at.IsZero():
		o.worked += min(now.Sub(o.at), gap)
	}
	o.jobs, o.at = accepted, time.Time{}
	if ready {
		o.at = now
	}
	return o.worked
}

// working returns the job that an engine works on, as far as is known, or nil.
func working(jobs []contract.OpenJob) *contract.OpenJob {
	accepted := slices.DeleteFunc(slices.Clone(jobs), func(j contract.OpenJob) bool { return j.Reserved })
	if len(accepted) == 0 {
		return nil
	}
	j := slices.MinFunc(accepted, func(a, b contract.OpenJob) int {
		runs := func(j contract.OpenJob) int {
			if j.Record.Status == api.JobRunning {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(runs(a), runs(b)), cmp.Compare(a.JobID, b.JobID))
	})
	return &j
}

// boundJobs sees to it that a job ends in time: its engine is asked to end it,
// and when it does not, the job is ended without it and the engine stopped.
func (a *actor) boundJobs(jobs []contract.OpenJob) {
	r, timing := a.run, a.px.opts.Timing
	ready := a.machine.State() == engineproxy.StateReady
	worked := a.overrun.look(a.px.clock.Now(), ready, jobs, 2*timing.Reap)
	j := working(jobs)
	if !ready || j == nil || worked < timing.Job || a.bounding {
		return
	}
	a.bounding = true
	final := worked >= timing.Job+timing.JobGrace
	a.apart(func() func() {
		err := a.px.end(r, *j, final)
		if err != nil && r.ctx.Err() == nil {
			a.px.log.Warn("ending overdue job failed", zap.String("job", j.JobID), zap.Error(err))
		}
		return func() {
			a.bounding = false
			if final && err == nil {
				a.heldTooLong(r)
			}
		}
	})
}

// end asks the engine to end an overdue job, or does it in its place.
func (p *Proxy) end(r *incarnation, j contract.OpenJob, final bool) error {
	if final {
		return p.giveUpJob(r.ctx, j, api.FailureTimeout, heldTooLong)
	}
	// Another acknowledgement of what is applied already carries the order.
	cursor, err := p.opts.Ledger.FeedCursor(r.ctx, j.ProjectID, r.ready.FeedID)
	if err != nil {
		return fmt.Errorf("asking for feed cursor: %w", err)
	}
	ack := contract.Ack{FeedID: r.ready.FeedID, Seq: cursor, Stop: []contract.Stop{{JobID: j.JobID, Code: api.FailureTimeout}}}
	return p.call(r.ctx, func(ctx context.Context) error { return r.client.Ack(ctx, ack) })
}

// heldTooLong stops an engine whose job had to be ended without it. The jobs
// that wait behind it bring the next one.
func (a *actor) heldTooLong(r *incarnation) {
	a.px.log.Error("engine holds a job; stopping the engine", zap.String("project", a.id), zap.String("instance", r.instance()))
	a.px.metrics.failed(failHeld)
	a.step(func(m *lifecycle.Machine, now time.Time) {
		m.Overran(now, r.number, lifecycle.Failure{Code: failHeld, Reason: "The engine does not end its jobs."})
	})
}
