package fleet

import (
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/engine-proxy/internal/clock"
)

// firstSweep is when after a start old jobs are looked for the first time.
const firstSweep = time.Minute

// sweep forgets at regular times, first at the start, projects whose deletion
// was interrupted, and less often what ended jobs left longer ago than Retain.
func (p *Proxy) sweep() {
	// Old jobs not at once: a start has better things to do.
	for next := p.clock.Now().Add(min(p.opts.Timing.Sweep, firstSweep)); ; {
		if err := p.forgetDeleted(p.ctx); err != nil && p.ctx.Err() == nil {
			p.log.Warn("deleting projects failed", zap.Error(err))
		}
		if !p.clock.Now().Before(next) {
			if err := p.sweepOnce(p.ctx); err != nil && p.ctx.Err() == nil {
				p.log.Warn("forgetting old jobs failed", zap.Error(err))
			}
			next = p.clock.Now().Add(spread(p.opts.Timing.Sweep))
		}
		if clock.Sleep(p.ctx, p.clock, min(p.opts.Timing.Forget, next.Sub(p.clock.Now()))) != nil {
			return
		}
	}
}

// sweepOnce forgets old jobs: their rows and idempotency keys in the ledger, and
// then what the archive has of them. In between they are unknown already, as
// they should be.
func (p *Proxy) sweepOnce(ctx context.Context) error {
	before := p.clock.Now().Add(-time.Duration(p.retain.Load()))
	rows, err := p.opts.Ledger.Expire(ctx, before)
	if err != nil {
		return fmt.Errorf("forgetting jobs: %w", err)
	}
	// What is archived and not settled yet is needed still, however old.
	open, err := p.opts.Ledger.OpenJobs(ctx, "")
	if err != nil {
		return fmt.Errorf("asking for unfinished jobs: %w", err)
	}
	keep := make(map[string]bool, len(open))
	for _, j := range open {
		keep[j.JobID] = true
	}
	deleted, err := p.archive.Sweep(before, keep)
	p.metrics.archived.WithLabelValues(archiveDeleted).Add(float64(deleted))
	if err != nil {
		return fmt.Errorf("sweeping archive: %w", err)
	}
	if rows > 0 || deleted > 0 {
		p.log.Info("old jobs were forgotten", zap.Int("jobs", rows), zap.Int("archived", deleted), zap.Time("before", before))
	}
	return nil
}
