// Command gateway is cmd/caddy with points at which tests have it die or wait:
// before and after every operation of the ledger. In the configuration the
// form "rig" of the sidecar and of engines stands for "embedded".
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	_ "github.com/caddyserver/caddy/v2/modules/standard"
	"go.uber.org/zap"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/caddymodule"
	"github.com/svc-games/svc/caddymodule/embedded"
	_ "github.com/svc-games/svc/caddymodule/remote"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/service"
	"github.com/svc-games/svc/test/rig/offset"
	"github.com/svc-games/svc/test/rig/point"
)

func init() {
	caddy.RegisterModule(Sidecar{})
	caddy.RegisterModule(Engines{})
}

func main() {
	args, err := embedded.Prepare(os.Args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "gateway: "+err.Error())
		os.Exit(1)
	}
	os.Args = args
	caddycmd.Main()
}

// Sidecar is the embedded one with points.
type Sidecar struct{ embedded.Sidecar }

// CaddyModule returns the Caddy module information.
func (Sidecar) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "svc.sidecar.rig", New: func() caddy.Module { return new(Sidecar) }}
}

// OpenSidecar implements caddymodule.SidecarBackend.
func (s *Sidecar) OpenSidecar(ctx context.Context, dataDir string, logger *zap.Logger) (*caddymodule.OpenedSidecar, error) {
	s.Now = offset.Clock()
	opened, err := s.Sidecar.OpenSidecar(ctx, dataDir, logger)
	if err != nil {
		return nil, err
	}
	t := tapped{opened.Service.(*service.Service)}
	opened.Service, opened.Ledger = t, t
	return opened, nil
}

// Engines is the embedded engine proxy, with less patience: in a test engines die
// all the time.
type Engines struct{ embedded.Engines }

// CaddyModule returns the Caddy module information.
func (Engines) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "svc.engines.rig", New: func() caddy.Module { return new(Engines) }}
}

// OpenEngines implements caddymodule.EnginesBackend.
func (e *Engines) OpenEngines(
	ctx context.Context, dataDir string, ledger engineproxy.Ledger, logger *zap.Logger,
) (*caddymodule.OpenedEngines, error) {
	e.Timing.Reap = 500 * time.Millisecond
	e.Timing.BackOff, e.Timing.BackOffMax = 50*time.Millisecond, 500*time.Millisecond
	return e.Engines.OpenEngines(ctx, dataDir, ledger, logger)
}

// tapped is a sidecar that passes a point before and after each operation.
type tapped struct{ *service.Service }

func (t tapped) Reserve(ctx context.Context, r sidecar.Reservation) (sidecar.Admission, error) {
	point.Pass("before reserve")
	a, err := t.Service.Reserve(ctx, r)
	if err == nil {
		point.Pass("reserved")
	}
	return a, err
}

func (t tapped) Renew(ctx context.Context, jobID string, after time.Duration) error {
	if point.Held() {
		return nil // who stands still renews nothing
	}
	return t.Service.Renew(ctx, jobID, after)
}

func (t tapped) Commit(ctx context.Context, jobID string) error {
	return point.Around("before commit", "committed", func() error { return t.Service.Commit(ctx, jobID) })
}

func (t tapped) Release(ctx context.Context, jobID string) error {
	return point.Around("before release", "released", func() error { return t.Service.Release(ctx, jobID) })
}

func (t tapped) ApplyFeed(ctx context.Context, b contract.FeedBatch) (contract.FeedVerdict, error) {
	point.Pass("before feed")
	v, err := t.Service.ApplyFeed(ctx, b)
	point.Pass("feed applied")
	return v, err
}

func (t tapped) Resolve(ctx context.Context, jobID string, v contract.FenceVerdict) error {
	return point.Around("before resolve", "resolved", func() error { return t.Service.Resolve(ctx, jobID, v) })
}

// Interface guards
var (
	_ caddymodule.SidecarBackend = (*Sidecar)(nil)
	_ caddymodule.EnginesBackend = (*Engines)(nil)
)
