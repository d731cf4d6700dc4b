package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/engineclient"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
	"github.com/svc-games/svc/engine-proxy/lifecycle"
)

// Messages of jobs that the engine proxy ends itself, for the client's eyes.
const (
	lostWithEngine = "The project's engine could not be brought back, and the job with it."
	lostWithVolume = "The project's engine does not know the job any more."
	notKept        = "The job's result could not be kept."
	brokeContract  = "The project's engine reported what it can't have done."
)

// giveUp ends the accepted jobs of an engine that can't be brought back. It is
// called when no instance runs, and none is started before it is done.
func (a *actor) giveUp() {
	jobs := a.jobs
	a.apart(func() func() {
		for _, j := range jobs {
			if j.Reserved {
				continue
			}
			if err := a.px.giveUpJob(a.px.ctx, j, api.FailureEngineLost, lostWithEngine); err != nil {
				a.px.log.Error("giving up job failed", zap.String("job", j.JobID), zap.Error(err))
			}
		}
		return func() {
			a.step(func(m *lifecycle.Machine, _ time.Time) { m.GivenUp() })
		}
	})
}

// findLost compares the unfinished jobs with those a ready engine knows: a
// volume that was made anew knows none. It tries until it has an answer.
func (p *Proxy) findLost(ctx context.Context, projectID string, c *engineclient.Client) {
	for wait := time.Second; ; wait = min(2*wait, time.Minute) {
		err := p.findLostOnce(ctx, projectID, c)
		if err == nil || ctx.Err() != nil {
			return
		}
		p.log.Warn("comparing unfinished jobs failed", zap.String("project", projectID), zap.Error(err))
		if clock.Sleep(ctx, p.clock, wait) != nil {
			return
		}
	}
}

func (p *Proxy) findLostOnce(ctx context.Context, projectID string, c *engineclient.Client) error {
	// Listed before the engine is asked: what it accepts later is not missed.
	open, err := p.opts.Ledger.OpenJobs(ctx, projectID)
	if err != nil || len(open) == 0 {
		return err
	}
	ids := make([]string, len(open))
	for i, j := range open {
		ids[i] = j.JobID
	}
	var known map[string]bool
	if err := p.call(ctx, func(ctx context.Context) (err error) {
		known, err = c.Knows(ctx, ids)
		return err
	}); err != nil {
		return err
	}
	var all error
	for _, j := range open {
		if !j.Reserved && !known[j.JobID] {
			all = errors.Join(all, p.giveUpJob(ctx, j, api.FailureEngineLost, lostWithVolume))
		}
	}
	return all
}

// giveUpJob ends a job as failed without its engine: its end is in the archive
// before it is in the ledger. If the archive has the job's own end already,
// that one stands.
func (p *Proxy) giveUpJob(ctx context.Context, j contract.OpenJob, code api.FailureCode, message string) error {
	record := j.Record
	record.JobID, record.ProjectID = j.JobID, j.ProjectID
	end := engineproxy.Failure(record, code, message, p.clock.Now().UTC())
	kept, err := p.archive.PutEnd(end)
	if err != nil {
		return fmt.Errorf("archiving given up job: %w", err)
	}
	if err := p.endCalls(ctx, j.ProjectID, j.JobID); err != nil {
		return err
	}
	if err := p.opts.Ledger.EndJob(ctx, kept); err != nil {
		return fmt.Errorf("ending given up job: %w", err)
	}
	p.log.Warn("job was ended without its engine", zap.String("project", j.ProjectID), zap.String("job", j.JobID),
		zap.String("code", string(code)))
	return nil
}
