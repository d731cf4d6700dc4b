package fleet

import (
	"context"
	"errors"
	"fmt"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
)

// ErrNotOurs is returned, wrapped, when another installation has the engines of
// the ledger's projects, and with them the volumes. Without those every job would
// be taken for lost.
var ErrNotOurs = errors.New("the engines of this store's projects belong to another data directory")

// claimAtStart claims the engines, and leaves it to the reaper when the ledger
// is unavailable: the parts start in any order.
func (p *Proxy) claimAtStart(ctx context.Context) (err error) {
	p.installation, err = p.layout.Identify(mint.NewInstanceID(p.clock.Now()))
	if err != nil {
		return err
	}
	if err = p.claim(ctx); err != nil && !errors.Is(err, ErrNotOurs) {
		p.log.Warn("claiming the engines failed; none is started before", zap.Error(err))
		err = nil
	}
	return err
}

// claim makes sure, once, that the engines are ours to start.
func (p *Proxy) claim(ctx context.Context) error {
	if p.ours.Load() {
		return nil
	}
	ctx, cancel := clock.Within(ctx, p.clock, callDeadline)
	defer cancel()
	owner, err := p.opts.Ledger.Claim(ctx, p.installation)
	if err != nil {
		return fmt.Errorf("claiming the engines: %w", err)
	}
	if owner.ID != p.installation.ID {
		return fmt.Errorf("%w: %s, since %s; ask the engine proxy there (engines ADDRESS), "+
			"or, when that folder is gone for good, run svc admin engines release", ErrNotOurs, owner.Place, owner.Since.Format("2006-01-02 15:04 UTC"))
	}
	p.ours.Store(true)
	return nil
}
