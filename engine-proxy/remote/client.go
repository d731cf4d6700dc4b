package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
	"github.com/svc-games/svc/peer/rpc"
)

const (
	// askTimeout bounds questions that take no time.
	askTimeout = 10 * time.Second
	// retryFirst is how long a wait for an engine pauses when the engine proxy
	// is away; each further pause is twice as long, to retryMost.
	retryFirst = 50 * time.Millisecond
	retryMost  = 2 * time.Second
)

// Options of NewClient.
type Options struct {
	// Dir is where the client makes a directory for the socket by which
	// engines on another host are reached. Required for those.
	Dir    string
	Logger *zap.Logger // default: none
}

// Client is an engineproxy.Engines in another process. It is safe for
// concurrent use.
type Client struct {
	Operator
	peer   http.RoundTripper
	keeper *keeper
	bridge *bridge
	cancel context.CancelFunc
	tasks  sync.WaitGroup
}

// NewClient returns a client that sends to the given peer. The engine proxy
// need not run yet.
func NewClient(peer http.RoundTripper, o Options) *Client {
	o.Logger = cmp.Or(o.Logger, zap.NewNop())
	c := &Client{Operator: Operator{rpc.NewClient(peer, "the engine proxy", Path, codes{}), askTimeout}, peer: peer}
	c.bridge = &bridge{dir: o.Dir, logger: o.Logger}
	c.keeper = newKeeper(func(ctx context.Context, t touch) error {
		_, err := rpc.Call[rpc.Nothing](ctx, c.rpc, "touch", t)
		return err
	})
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel = cancel
	c.tasks.Go(func() { c.keeper.run(ctx) })
	return c
}

// Close ends all leases, and the way to engines on another host.
func (c *Client) Close() error {
	c.cancel()
	c.tasks.Wait()
	return c.bridge.close()
}

// call asks a question that may be asked twice. A timeout of 0 leaves it to
// ctx.
func call[Res any](ctx context.Context, c *rpc.Client, timeout time.Duration, name string, req any) (Res, error) {
	bounded, cancel := ctx, context.CancelFunc(func() {})
	if timeout > 0 {
		bounded, cancel = context.WithTimeout(ctx, timeout)
	}
	defer cancel()
	res, err := rpc.Call[Res](bounded, c, name, req)
	switch {
	case ctx.Err() != nil && err != nil:
		return res, ctx.Err()
	case errors.Is(err, rpc.ErrUnreachable):
		return res, fmt.Errorf("%w: %w", engineproxy.ErrUnreachable, err)
	}
	return res, err
}

// Submit implements engineproxy.Engines.
func (c *Client) Submit(ctx context.Context, p engineproxy.Project, hold time.Duration) (*engineproxy.Lease, error) {
	ref := c.keeper.mint()
	at, err := call[engineproxy.Endpoint](ctx, c.rpc, max(hold, 0)+askTimeout, "submit", submission{p, hold, ref})
	return c.lease(p.ID, ref, at, err)
}

// Attach implements engineproxy.Engines.
func (c *Client) Attach(ctx context.Context, projectID string) (*engineproxy.Lease, error) {
	ref := c.keeper.mint()
	at, err := call[engineproxy.Endpoint](ctx, c.rpc, askTimeout, "attach", attachment{projectID, ref})
	return c.lease(projectID, ref, at, err)
}

// lease makes a lease of what was answered.
func (c *Client) lease(projectID string, ref leaseRef, at engineproxy.Endpoint, err error) (*engineproxy.Lease, error) {
	var once sync.Once
	release := func() { once.Do(func() { c.keeper.release(ref.ID) }) }
	if err != nil {
		release()
		return nil, err
	}
	if at.Address != "" {
		return &engineproxy.Lease{Endpoint: at, Release: release}, nil
	}
	return c.bridge.lease(route{prefix: "/engines/" + projectID, instanceID: at.InstanceID, transport: sent{c.peer}}, release)
}

// AwaitReady implements engineproxy.Engines. It waits through a restart of the
// engine proxy.
func (c *Client) AwaitReady(ctx context.Context, projectID string) error {
	pause := retryFirst
	for {
		r, err := call[ready](ctx, c.rpc, readySlice+askTimeout, "await-ready", rpc.ProjectRef{ProjectID: projectID})
		switch {
		case err == nil && r.Ready:
			return nil
		case err == nil:
			pause = retryFirst
			continue
		case !errors.Is(err, engineproxy.ErrUnreachable):
			return err
		}
		if clock.Sleep(ctx, clock.System{}, pause) != nil {
			return ctx.Err()
		}
		pause = min(2*pause, retryMost)
	}
}

// Fence implements engineproxy.Engines.
func (c *Client) Fence(ctx context.Context, p engineproxy.Project, jobID string) (contract.FenceVerdict, error) {
	v, err := call[contract.FenceVerdict](ctx, c.rpc, askTimeout, "fence", jobOf{p, jobID})
	if err == nil && v != contract.Accepted && v != contract.Fenced {
		return "", fmt.Errorf("%w: the verdict %q is not known", engineproxy.ErrUnreachable, v)
	}
	return v, err
}

// Cancel implements engineproxy.Engines.
func (c *Client) Cancel(ctx context.Context, p engineproxy.Project, jobID string) error {
	_, err := call[rpc.Nothing](ctx, c.rpc, 0, "cancel", jobOf{p, jobID})
	return err
}

// Forget implements engineproxy.Engines.
func (c *Client) Forget(ctx context.Context, projectID string) error {
	_, err := call[rpc.Nothing](ctx, c.rpc, 0, "forget", rpc.ProjectRef{ProjectID: projectID})
	return err
}

// Models implements engineproxy.Engines.
func (c *Client) Models(ctx context.Context) ([]api.Model, error) {
	return call[[]api.Model](ctx, c.rpc, askTimeout, "models", rpc.Nothing{})
}

// Interface guards
var _ engineproxy.Engines = (*Client)(nil)
