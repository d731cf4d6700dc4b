package remote

import (
	"context"
	"fmt"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"go.uber.org/zap"

	"github.com/svc-games/svc/block"
	"github.com/svc-games/svc/caddymodule"
	"github.com/svc-games/svc/sidecar/site"
	"github.com/svc-games/svc/sidecar/wire"
	"github.com/svc-games/svc/sidecar/wire/ledger"
)

// Sidecar reaches a sidecar in another process, svc-sidecar: for a service on several
// machines, or a gateway without a store. It need not run when the gateway starts: until
// it does, requests are refused with 503.
type Sidecar struct {
	Peer

	// How long a decision may take, the way there and back included, before
	// the request is refused with 503. Default: $SVC_DECISION_TIMEOUT, else
	// 50ms.
	DecisionTimeout caddy.Duration `json:"decision_timeout,omitempty"`
}

// CaddyModule returns the Caddy module information.
func (Sidecar) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "svc.sidecar.remote", New: func() caddy.Module { return new(Sidecar) }}
}

// Caddyfile implements caddymodule.Configurable. Syntax:
//
//	sidecar <address> {
//	    tls              <cert> <key> <ca> [<server name>]
//	    decision_timeout <duration>
//	}
func (s *Sidecar) Caddyfile() block.Options {
	return append(s.Peer.Caddyfile(), block.Option{
		Name: "decision_timeout", Form: "<duration>", Read: caddymodule.Duration(&s.DecisionTimeout), Default: "`$SVC_DECISION_TIMEOUT`, else `50ms`",
		Meaning: "how long a decision may take, network included, before the request is refused with 503",
	})
}

// UnmarshalCaddyfile reads address and block.
func (s *Sidecar) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	s.Address = d.Val()
	return block.At(d, "svc: sidecar").Block(s.Caddyfile())
}

// Provision sets defaults.
func (s *Sidecar) Provision(ctx caddy.Context) error {
	if err := caddymodule.DecisionTimeout(&s.DecisionTimeout); err != nil {
		return err
	}
	return s.Peer.Provision(ctx)
}

// Validate checks the options.
func (s *Sidecar) Validate() error {
	if err := s.Peer.Validate(); err != nil {
		return fmt.Errorf("sidecar: %w", err)
	}
	if s.DecisionTimeout < 0 {
		return fmt.Errorf("sidecar: decision_timeout must not be negative, is %s", time.Duration(s.DecisionTimeout))
	}
	return nil
}

// Key implements caddymodule.SidecarBackend.
func (s *Sidecar) Key(string) string {
	return fmt.Sprintf("remote:%s %s", s.Peer.Key(), time.Duration(s.DecisionTimeout))
}

// OpenSidecar implements caddymodule.SidecarBackend.
func (s *Sidecar) OpenSidecar(ctx context.Context, _ string, logger *zap.Logger) (*caddymodule.OpenedSidecar, error) {
	conn, err := s.Connect(ctx, "svc-sidecar", logger)
	if err != nil {
		return nil, fmt.Errorf("sidecar: %w", err)
	}
	client := wire.New(conn, wire.Options{DecisionTimeout: time.Duration(s.DecisionTimeout), Logger: logger})
	return &caddymodule.OpenedSidecar{
		Service: client, Ledger: ledger.New(conn),
		Console: func(o site.Options) (site.Site, error) {
			return wire.NewConsole(conn, o, logger.Named("console")), nil
		},
		Play: func(o site.PlayOptions) (site.Play, error) {
			return wire.NewPlay(conn, o, logger.Named("play")), nil
		},
		Close: func() error {
			defer conn.CloseIdle()
			return client.Close()
		},
	}, nil
}

// Interface guards
var (
	_ caddy.Provisioner          = (*Sidecar)(nil)
	_ caddy.Validator            = (*Sidecar)(nil)
	_ caddymodule.SidecarBackend = (*Sidecar)(nil)
	_ caddymodule.Configurable   = (*Sidecar)(nil)
	_ caddyfile.Unmarshaler      = (*Sidecar)(nil)
)
