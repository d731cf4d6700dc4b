package fleet

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/engine-proxy/internal/clock"
)

// firstSweep is when after a start old jobs are looked for the first time.
const firstSweep = time.Minute

// sweep forgets at regular times, first at the start, projects whose deletion
// was interrupted, and less often what ended jobs left longer ago than Retain, or
// is more than MaxArchive.
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

// sweepOnce forgets old jobs.
func (p *Proxy) sweepOnce(ctx context.Context) error {
	return p.settler.Expire(ctx, p.clock.Now(), *p.bounds.Load())
}
