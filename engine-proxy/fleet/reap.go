package fleet

import (
	"context"

	"go.uber.org/zap"

	"github.com/svc-games/svc/engine-proxy/internal/clock"
)

// reap looks at all unfinished jobs at regular times: their engines are
// brought back, and reservations that are overdue are put to the engine. The
// engines' authority is looked at as often. It works until the proxy ends.
func (p *Proxy) reap() {
	certificates := renewing{Proxy: p}
	for {
		if err := p.reapOnce(p.ctx); err != nil && p.ctx.Err() == nil {
			p.log.Warn("listing unfinished jobs failed", zap.Error(err))
		}
		p.admission.Recheck()
		certificates.look(p.ctx)
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
	byProject, err := p.settler.Unfinished(ctx)
	if err != nil {
		return err
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
