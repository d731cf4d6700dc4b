package wire

import (
	"context"
	"time"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/rpc"
)

// silence is how long a stream of hints may be silent before it counts as dead.
const silence = 3 * heartbeat

// Watch implements sidecar.Service. While the sidecar is unreachable it keeps trying,
// and hints once it is back, since hints may have been missed.
func (c *Client) Watch() (hints <-chan struct{}, stop func()) {
	out := make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(c.ctx)
	done := make(chan struct{})
	c.tasks.Go(func() {
		defer close(done)
		for wait := minBackOff; ctx.Err() == nil; wait = min(2*wait, maxBackOff) {
			if c.stream(ctx, out) {
				wait = minBackOff
			}
			peer.Sleep(ctx, wait)
		}
	})
	return out, func() {
		cancel()
		<-done
	}
}

// WatchJobs implements sidecar.Service: other gateways and engine proxies change
// jobs at the same sidecar.
func (*Client) WatchJobs(func(jobID string)) (stop func(), complete bool) { return func() {}, false }

// stream passes hints on until the stream ends, and reports whether it began.
// Each byte that comes is a hint; so is the end, since contact is lost.
func (c *Client) stream(ctx context.Context, out chan<- struct{}) (began bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	body, err := c.rpc.Open(ctx, "watch", rpc.Nothing{}, true)
	if err != nil {
		return false // the watcher's next call returns the error
	}
	defer body.Close()
	alive := time.AfterFunc(silence, cancel)
	defer alive.Stop()
	for buf := make([]byte, 64); ; {
		n, err := body.Read(buf)
		if n > 0 {
			alive.Reset(silence)
			hint(out)
		}
		if err != nil {
			hint(out)
			return true
		}
	}
}

// hint never waits: a pending hint says the same.
func hint(out chan<- struct{}) {
	select {
	case out <- struct{}{}:
	default:
	}
}
