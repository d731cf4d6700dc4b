package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/site"
)

// openTimeout bounds how long sidecar and engine proxy each may take to open.
const openTimeout = 30 * time.Second

// SidecarBackend is a guest module of the namespace svc.sidecar: it opens the
// sidecar, in this process or by the way to another.
type SidecarBackend interface {
	// Key identifies what OpenSidecar would open, so that two configurations
	// with the same keys share it.
	Key(dataDir string) string
	// Location says for the status where the sidecar runs: "embedded" in this
	// process, or its address.
	Location() string
	// OpenSidecar may touch disk and network; it is called when the
	// configuration starts, not when it is loaded or validated.
	OpenSidecar(ctx context.Context, dataDir string, logger *zap.Logger) (*OpenedSidecar, error)
}

// OpenedSidecar is an open sidecar.
type OpenedSidecar struct {
	Service sidecar.Service
	// Ledger is for an engine proxy in this process.
	Ledger engineproxy.Ledger
	// Console returns the console with the given options.
	Console func(site.Options) (site.Site, error)
	// Play returns what serves published games with the given options.
	Play func(site.PlayOptions) (site.Play, error)
	// Fixed are options that a reload can't change, for its SidecarReloader.
	Fixed any
	Close func() error
}

// SidecarReloader is a SidecarBackend with options that a reload changes.
type SidecarReloader interface {
	// ReloadSidecar applies them to what an earlier configuration with the same
	// key opened.
	ReloadSidecar(*OpenedSidecar) error
}

// DecisionTimeout sets how long a decision may take to what SVC_DECISION_TIMEOUT says
// of it, where no option does and it is set.
func DecisionTimeout(option *caddy.Duration) error {
	text := os.Getenv("SVC_DECISION_TIMEOUT")
	if text == "" || *option != 0 {
		return nil
	}
	timeout, err := caddy.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("SVC_DECISION_TIMEOUT: %w", err)
	}
	*option = caddy.Duration(timeout)
	return nil
}

// RedisUser is a SidecarBackend that, through a Redis server, tells the sidecars
// of other gateways of changes at once.
type RedisUser interface {
	// UseRedis is called when the configuration is loaded, before Key; url is ""
	// where there is none.
	UseRedis(url string)
}

// EnginesBackend is a guest module of the namespace svc.engines: it opens the
// engine proxy, in this process or by the way to another.
type EnginesBackend interface {
	// Check refuses options that don't go together with what a cold-start 503
	// asks the client to wait.
	Check(retryAfter time.Duration) error
	// Key identifies what OpenEngines would open.
	Key(dataDir string) string
	// OpenEngines may touch disk and network. An engine proxy in this process
	// reports to ledger.
	OpenEngines(ctx context.Context, dataDir string, ledger engineproxy.Ledger, logger *zap.Logger) (*OpenedEngines, error)
}

// LedgerOwner is a SidecarBackend that may be alone with its ledger.
type LedgerOwner interface {
	// OwnsLedger reports whether no other process may work on the ledger. It is asked
	// when the configuration is loaded.
	OwnsLedger() bool
}

// RemoteEngines is an EnginesBackend whose engine proxy is in another process.
type RemoteEngines interface {
	Location() string // its address
}

// MixedForms returns the error of a configuration whose engine proxy, at address, would
// have to report to a sidecar that is alone with its ledger.
func MixedForms(address string) error {
	return fmt.Errorf("the engine proxy at %s can't report to a sidecar in this process with a ledger of its own: name svc-sidecar's address by "+
		"sidecar or SVC_SIDECAR, set store or SVC_STORE to the PostgreSQL that they share, or set engines or SVC_ENGINES to embedded", address)
}

// checkForms refuses parts that could not work together.
func checkForms(side SidecarBackend, engines EnginesBackend) error {
	owner, alone := side.(LedgerOwner)
	remote, elsewhere := engines.(RemoteEngines)
	if alone && elsewhere && owner.OwnsLedger() {
		return MixedForms(remote.Location())
	}
	return nil
}

// EnginesReloader is an EnginesBackend with options that a reload changes.
type EnginesReloader interface {
	// ReloadEngines applies them to what an earlier configuration with the same
	// key opened.
	ReloadEngines(*OpenedEngines) error
}

// OpenedEngines is an open engine proxy.
type OpenedEngines struct {
	Engines engineproxy.Engines
	Close   func() error
}

// backend is what a configuration opened.
type backend struct {
	sidecar *OpenedSidecar
	engines *OpenedEngines
}

// openBackend opens the sidecar, and then the engine proxy that reports to it.
func openBackend(side SidecarBackend, engines EnginesBackend, dataDir string, logger *zap.Logger) (*backend, error) {
	ctx, cancel := context.WithTimeout(context.Background(), openTimeout)
	defer cancel()
	var b backend
	var err error
	if b.sidecar, err = side.OpenSidecar(ctx, dataDir, logger.Named("sidecar")); err != nil {
		return nil, err
	}
	if b.engines, err = engines.OpenEngines(ctx, dataDir, b.sidecar.Ledger, logger.Named("engines")); err != nil {
		return nil, errors.Join(err, b.sidecar.Close())
	}
	return &b, nil
}

// close closes both, in the reverse order.
func (b *backend) close() error { return errors.Join(b.engines.Close(), b.sidecar.Close()) }
