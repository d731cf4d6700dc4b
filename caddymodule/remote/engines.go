package remote

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"go.uber.org/zap"

	"github.com/svc-games/svc/block"
	"github.com/svc-games/svc/caddymodule"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	engineremote "github.com/svc-games/svc/engine-proxy/remote"
)

// Engines reaches an engine proxy in another process, svc-engine-proxy: the form of the
// service in which the gateway starts no program and holds no Docker socket. It need not
// run when the gateway starts: until it does, submissions are refused with 503.
//
// Behind a Unix socket the engines are those of this machine and are reached
// themselves, so that open streams outlive the engine proxy. Behind host:port
// they are reached through the engine proxy.
type Engines struct {
	Peer
}

// CaddyModule returns the Caddy module information.
func (Engines) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "svc.engines.remote", New: func() caddy.Module { return new(Engines) }}
}

// UnmarshalCaddyfile reads address and block. Syntax:
//
//	engines <address> {
//	    tls <cert> <key> <ca> [<server name>]
//	}
func (e *Engines) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	e.Address = d.Val()
	at := block.At(d, "svc: engines")
	at.Hint = ". Options of the engine proxy belong to svc-engine-proxy"
	return at.Block(e.Caddyfile())
}

// Validate checks the options.
func (e *Engines) Validate() error {
	if err := e.Peer.Validate(); err != nil {
		return fmt.Errorf("engines: %w", err)
	}
	return nil
}

// Check implements caddymodule.EnginesBackend. How long engines are kept is
// for svc-engine-proxy to say.
func (e *Engines) Check(time.Duration) error { return nil }

// Key implements caddymodule.EnginesBackend.
func (e *Engines) Key(string) string { return "remote:" + e.Peer.Key() }

// OpenEngines implements caddymodule.EnginesBackend. The engine proxy has its
// own way to the ledger.
func (e *Engines) OpenEngines(
	ctx context.Context, dataDir string, _ engineproxy.Ledger, logger *zap.Logger,
) (*caddymodule.OpenedEngines, error) {
	conn, err := e.Connect(ctx, "svc-engine-proxy", logger)
	if err != nil {
		return nil, fmt.Errorf("engines: %w", err)
	}
	dir := filepath.Join(dataDir, "run")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("engines: %w", err)
	}
	client := engineremote.NewClient(conn, engineremote.Options{Dir: dir, Logger: logger})
	return &caddymodule.OpenedEngines{Engines: client, Close: func() error {
		defer conn.CloseIdle()
		return client.Close()
	}}, nil
}

// Interface guards
var (
	_ caddy.Provisioner          = (*Engines)(nil)
	_ caddy.Validator            = (*Engines)(nil)
	_ caddymodule.EnginesBackend = (*Engines)(nil)
	_ caddymodule.RemoteEngines  = (*Engines)(nil)
	_ caddyfile.Unmarshaler      = (*Engines)(nil)
)
