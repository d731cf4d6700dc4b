// Command engineproxy is cmd/svc-engine-proxy with points at which tests have it
// die or wait: before and after what it tells the ledger.
package main

import (
	"context"
	"net/http"
	"os"

	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/daemon"
	"github.com/svc-games/svc/peer/cli"
	"github.com/svc-games/svc/sidecar/wire/ledger"
	"github.com/svc-games/svc/test/rig/point"
)

func main() {
	cli.Main("engineproxy", func(ctx context.Context) error {
		o, err := daemon.ParseOptions(os.Args[1:], os.Getenv, os.Stderr)
		if err != nil {
			return err
		}
		return daemon.Run(ctx, o, func(sidecar http.RoundTripper) engineproxy.Ledger { return tapped{ledger.New(sidecar)} })
	})
}

// tapped is a way to the ledger that passes a point before and after each
// operation.
type tapped struct{ engineproxy.Ledger }

// ApplyFeed implements engineproxy.Ledger.
func (t tapped) ApplyFeed(ctx context.Context, b contract.FeedBatch) (contract.FeedVerdict, error) {
	point.Pass("before feed")
	v, err := t.Ledger.ApplyFeed(ctx, b)
	point.Pass("feed applied")
	return v, err
}

// Resolve implements engineproxy.Ledger.
func (t tapped) Resolve(ctx context.Context, jobID string, v contract.FenceVerdict) error {
	return point.Around("before resolve", "resolved", func() error { return t.Ledger.Resolve(ctx, jobID, v) })
}

// Interface guards
var _ engineproxy.Ledger = tapped{}
