package embedded

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/caddymodule"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/sidecar/host"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/service"
	"github.com/svc-games/svc/sidecar/store"
)

// Sidecar opens the sidecar in this process, with its admin socket.
type Sidecar struct {
	// Where keys, projects, jobs and the ledger are kept: "sqlite", a file in
	// the data directory, or a postgres:// URL. Placeholders are replaced when the
	// configuration is loaded; write a password as {env.NAME}, so that it is in
	// no configuration. Default: $SVC_STORE, else sqlite.
	Store string `json:"store,omitempty"`

	// What the units cost that jobs are charged for, in TIK. A reload changes
	// what is charged from then on. Default: prices_file, else one TIK for a
	// job of the embedded generator.
	Prices map[string]api.TIK `json:"prices,omitempty"`

	// The file of the price list, one JSON object, in place of prices. It is
	// read when the configuration starts. Default: $SVC_PRICES, else none.
	PricesFile string `json:"prices_file,omitempty"`

	// The policy: who may do what. Default: the one that is part of the
	// program.
	Policy *Policy `json:"policy,omitempty"`

	// How decisions are recorded. Default: in decisions.jsonl of the data
	// folder.
	DecisionLog *DecisionLog `json:"decision_log,omitempty"`

	// How long a decision may take, facts included, before the request is
	// refused with 503. Default: $SVC_DECISION_TIMEOUT, else 50ms.
	DecisionTimeout caddy.Duration `json:"decision_timeout,omitempty"`

	// How many projects a user may have, and how many jobs of a project may wait.
	service.Caps

	// Now is for programs that test days and months; nil is the store's clock.
	Now func() time.Time `json:"-"`

	redis    string             // the app's
	fromFile map[string]api.TIK // what PricesFile held, nil before it was read
}

// CaddyModule returns the Caddy module information.
func (Sidecar) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "svc.sidecar.embedded", New: func() caddy.Module { return new(Sidecar) }}
}

// Provision sets defaults.
func (s *Sidecar) Provision(ctx caddy.Context) error {
	if given := cmp.Or(s.Store, os.Getenv("SVC_STORE")); given != "" {
		if s.Store = caddy.NewReplacer().ReplaceKnown(given, ""); s.Store == "" {
			return fmt.Errorf("store: %s is empty, and no other store takes its place", given)
		}
	}
	if s.PricesFile == "" && s.Prices == nil {
		s.PricesFile = os.Getenv("SVC_PRICES")
	}
	if s.WebhookNetworks == nil {
		s.WebhookNetworks = strings.FieldsFunc(os.Getenv("SVC_WEBHOOK_NETWORKS"), func(r rune) bool { return r == ',' || r == ' ' })
	}
	if err := caddymodule.DecisionTimeout(&s.DecisionTimeout); err != nil {
		return err
	}
	return s.provisionPolicy(ctx)
}

// Validate checks the options.
func (s *Sidecar) Validate() error {
	if err := service.CheckStore(s.Store); err != nil {
		return err
	}
	if s.Prices != nil && s.PricesFile != "" {
		return errors.New("prices are given twice: as a list and as a file")
	}
	if s.Prices != nil {
		if err := ledger.CheckPrices(s.Prices, ledger.DefaultUnits()); err != nil {
			return err
		}
	}
	if err := s.Caps.Validate(); err != nil {
		return fmt.Errorf("sidecar: %w", err)
	}
	if s.DecisionTimeout < 0 {
		return fmt.Errorf("sidecar: decision_timeout must not be negative, is %s", time.Duration(s.DecisionTimeout))
	}
	return s.validatePolicy()
}

// UseRedis implements caddymodule.RedisUser.
func (s *Sidecar) UseRedis(url string) { s.redis = url }

// Key implements caddymodule.SidecarBackend: one data directory, store and Redis, one
// sidecar. The addresses may hold passwords; a hash names them as well.
func (s *Sidecar) Key(dataDir string) string {
	return fmt.Sprintf("embedded:%s:%x", dataDir, sha256.Sum256([]byte(s.Store+"\n"+s.redis)))
}

// OwnsLedger implements caddymodule.LedgerOwner.
func (s *Sidecar) OwnsLedger() bool { return !store.IsPostgresURL(s.Store) }

// Location implements caddymodule.SidecarBackend.
func (*Sidecar) Location() string { return "embedded" }

// OpenSidecar implements caddymodule.SidecarBackend.
func (s *Sidecar) OpenSidecar(ctx context.Context, dataDir string, logger *zap.Logger) (*caddymodule.OpenedSidecar, error) {
	prices, err := s.prices()
	if err != nil {
		return nil, err
	}
	h, err := host.Open(ctx, host.Options{
		DataDir: dataDir, Store: s.Store, Redis: s.redis, Prices: prices, Now: s.Now, Logger: logger,
		DecisionTimeout: time.Duration(s.DecisionTimeout), Caps: s.Caps,
		Policy: s.Policy.options(), DecisionLog: s.DecisionLog.options(dataDir, logger.Named("decisions")),
		Admin: host.Standard(), OPA: host.Standard(), ServiceMetrics: storeMetrics,
	})
	if err != nil {
		return nil, err
	}
	return &caddymodule.OpenedSidecar{
		Service: h.Service, Ledger: h.Service, Fixed: s.fixed(), Close: h.Close,
		Console: h.Service.Console, Play: h.Service.Play,
	}, nil
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Sidecar)(nil)
	_ caddy.Validator             = (*Sidecar)(nil)
	_ caddymodule.SidecarBackend  = (*Sidecar)(nil)
	_ caddymodule.SidecarReloader = (*Sidecar)(nil)
	_ caddymodule.RedisUser       = (*Sidecar)(nil)
	_ caddymodule.LedgerOwner     = (*Sidecar)(nil)
	_ engineproxy.Ledger          = (*service.Service)(nil)
)
