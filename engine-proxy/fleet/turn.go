package fleet

import (
	"context"
	"time"

	"github.com/svc-games/svc/engine-proxy/admission"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
)

// A start that wants no processor at so many looks in a row only waits.
const (
	turnSample  = 50 * time.Millisecond // between two looks
	turnSamples = 10                    // looks
)

// releaseTurnOfWaiting gives the turn of a start back as soon as its engine only waits, where
// the driver can see that. It makes nobody slow then, and one that is never
// ready would keep all others from starting for as long as its deadline is.
func (p *Proxy) releaseTurnOfWaiting(ctx context.Context, t *admission.Ticket, h driver.Handle) {
	sampler, ok := p.opts.Driver.(driver.Sampler)
	if !ok {
		return
	}
	for still := 0; still < turnSamples; still++ {
		if clock.Sleep(ctx, p.clock, turnSample) != nil {
			return
		}
		computes, err := sampler.Computes(ctx, h)
		if err != nil {
			return // what has become of the engine is for the probe to learn
		}
		if computes {
			still = -1
		}
	}
	t.Close()
}
