package remote

import (
	"cmp"
	"context"
	"time"

	"go.uber.org/zap"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/driver"
)

// Near is an engine proxy of this process, for a gateway of this process too:
// engines that run on other machines look as if they listened here, so that
// what opens them stays with the engine proxy. The others are reached
// themselves.
type Near struct {
	engineproxy.Engines
	bridge *bridge
}

// NewNear returns a Near before engines. Close ends the way to those elsewhere.
func NewNear(engines engineproxy.Engines, o Options) *Near {
	o.Logger = cmp.Or(o.Logger, zap.NewNop())
	return &Near{Engines: engines, bridge: &bridge{dir: o.Dir, logger: o.Logger}}
}

// Submit implements engineproxy.Engines.
func (n *Near) Submit(ctx context.Context, p engineproxy.Project, hold time.Duration) (*engineproxy.Lease, error) {
	return n.bring(n.Engines.Submit(ctx, p, hold))
}

// Attach implements engineproxy.Engines.
func (n *Near) Attach(ctx context.Context, projectID string) (*engineproxy.Lease, error) {
	return n.bring(n.Engines.Attach(ctx, projectID))
}

func (n *Near) bring(lease *engineproxy.Lease, err error) (*engineproxy.Lease, error) {
	if err != nil || lease.Network == driver.Unix {
		return lease, err
	}
	at := lease.Endpoint
	return n.bridge.lease(route{token: at.Token, instanceID: at.InstanceID, transport: engineTransport(at)}, lease.Release)
}

// Close ends the way to engines of other machines.
func (n *Near) Close() error { return n.bridge.close() }

// Interface guards
var _ engineproxy.Engines = (*Near)(nil)
