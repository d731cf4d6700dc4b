package caddymodule

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyevents"
	"go.uber.org/zap"

	"github.com/svc-games/svc/caddymodule/gateway"
	"github.com/svc-games/svc/caddymodule/gateway/streams"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/push/redisconn"
)

// backends is shared by all configurations that name the same backend, so
// that a reload keeps engines, leases and open streams.
var backends = caddy.NewUsagePool()

// startTimeout bounds how long a request waits for the app: Caddy starts apps
// in no particular order, and the HTTP app may be first.
const startTimeout = 10 * time.Second

// App is the state that the service's handlers share: the sidecar and the
// engine proxy, opened once and kept over reloads.
//
// In a Caddyfile it is the global option "svc"; without one the defaults hold.
type App struct {
	// The folder that holds the database, the projects, the archive and the
	// sockets. Default: $SVC_DATA_DIR, else "data" in the working directory.
	DataDir string `json:"data_dir,omitempty"`

	// What a cold-start 503 asks the client to wait. Default: 30s.
	RetryAfter caddy.Duration `json:"retry_after,omitempty"`

	// The origins whose scripts may read the API, like "https://example.com";
	// "*" is every origin. Keys belong on servers, not in pages. Default: none.
	CORS []string `json:"cors,omitempty"`

	// Tell clients the policy's rule that decided, in the header Svc-Policy-Rule.
	// The access log has it in any case. Default: off.
	ExposeRule bool `json:"expose_rule,omitempty"`

	// The Redis server through which gateways share request rates, and with a
	// store that they share tell each other of revocations at once: redis://,
	// rediss:// or unix://. "off" means none: every gateway limits for itself,
	// and looks for revocations four times a second. Default: $SVC_REDIS_URL,
	// else none.
	Redis string `json:"redis,omitempty"`

	// How many event streams one key may have open at this gateway, and in the
	// console one user. One more is answered 503 with Retry-After. Default: 64.
	MaxStreamsPerKey int `json:"max_streams_per_key,omitempty"`

	// The same for all of them together. Default: half of the files that the
	// process may have open, and at most 10,000. The jobs that they are of are at most
	// a fourth of these files.
	MaxStreams int `json:"max_streams,omitempty"`

	// Where keys, ledger and policy are. Default: {"form": "embedded"}, in this
	// process.
	SidecarRaw json.RawMessage `json:"sidecar,omitempty" caddy:"namespace=svc.sidecar inline_key=form"`

	// Where engines are looked after. Default: {"form": "embedded"}, in this
	// process.
	EnginesRaw json.RawMessage `json:"engines,omitempty" caddy:"namespace=svc.engines inline_key=form"`

	refused bool // the configuration's app can't be loaded; this one stands in for it
	steps   steps
	console *Console // the configuration's first, nil for none
	sidecar SidecarBackend
	engines EnginesBackend
	key     string
	loaded  bool
	ready   chan struct{} // closed once shared is set
	shared  *Shared
	logger  *zap.Logger
}

// CaddyModule returns the Caddy module information.
func (App) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "svc", New: func() caddy.Module { return new(App) }}
}

// Provision sets defaults and loads the backend module. It opens nothing.
func (a *App) Provision(ctx caddy.Context) error {
	a.logger = ctx.Logger()
	a.ready = make(chan struct{})
	dir, err := filepath.Abs(cmp.Or(a.DataDir, os.Getenv("SVC_DATA_DIR"), "data"))
	if err != nil {
		return fmt.Errorf("resolving data_dir: %w", err)
	}
	a.DataDir = dir
	if a.Redis = cmp.Or(a.Redis, os.Getenv("SVC_REDIS_URL")); a.Redis == "off" {
		a.Redis = ""
	}
	if err := redisconn.Check(a.Redis); err != nil {
		return fmt.Errorf("option redis: %w", err)
	}
	a.RetryAfter = cmp.Or(a.RetryAfter, caddy.Duration(30*time.Second))
	if a.RetryAfter < caddy.Duration(time.Second) {
		return fmt.Errorf("retry_after must be at least 1s, is %s", time.Duration(a.RetryAfter))
	}
	if err := a.boundStreams(); err != nil {
		return err
	}
	if err := (gateway.CORS{Origins: a.CORS}).Validate(); err != nil {
		return fmt.Errorf("cors: %w", err)
	}
	if err := a.loadBackends(ctx); err != nil {
		return err
	}
	return a.onStopping(ctx)
}

// loadBackends loads the modules that will open sidecar and engine proxy.
func (a *App) loadBackends(ctx caddy.Context) error {
	inProcess := json.RawMessage(`{"form":"embedded"}`)
	if a.SidecarRaw == nil {
		a.SidecarRaw = inProcess
	}
	if a.EnginesRaw == nil {
		a.EnginesRaw = inProcess
	}
	mod, err := ctx.LoadModule(a, "SidecarRaw")
	if err != nil {
		return fmt.Errorf("loading sidecar: %w", err)
	}
	a.sidecar = mod.(SidecarBackend)
	if user, ok := mod.(RedisUser); ok {
		user.UseRedis(a.Redis)
	}
	if mod, err = ctx.LoadModule(a, "EnginesRaw"); err != nil {
		return fmt.Errorf("loading engines: %w", err)
	}
	a.engines = mod.(EnginesBackend)
	if err := checkForms(a.sidecar, a.engines); err != nil {
		return err
	}
	a.key = a.sidecar.Key(a.DataDir) + " " + a.engines.Key(a.DataDir)
	return a.engines.Check(time.Duration(a.RetryAfter))
}

// onStopping ends the open streams when the process stops, before the HTTP
// app waits for them. On a reload they go on.
func (a *App) onStopping(ctx caddy.Context) error {
	events, err := ctx.App("events")
	if err != nil {
		return fmt.Errorf("loading app events: %w", err)
	}
	return events.(*caddyevents.App).On("stopping", stopper{a})
}

// stopper is an event handler; an App is none, so that no one can configure
// it as one.
type stopper struct{ app *App }

// Handle ends the streams if the process stops.
func (s stopper) Handle(context.Context, caddy.Event) error {
	if caddy.Exiting() && s.app.loaded {
		s.app.shared.Streams.CloseAll(streams.ReasonShutdown)
		s.app.shared.Streams.AwaitEnd()
	}
	return nil
}

// Start opens sidecar and engine proxy, or takes over those that an earlier
// configuration opened.
func (a *App) Start() error {
	if a.folderTaken() {
		return errors.New("the options data_dir, store and redis, and where sidecar and engines are, take effect at a start: " +
			"restart the service, or leave them as they were")
	}
	shared, reloaded, err := backends.LoadOrNew(a.key, func() (caddy.Destructor, error) {
		opened, err := openBackend(a.sidecar, a.engines, a.DataDir, a.logger)
		if err != nil {
			return nil, err
		}
		return newShared(opened, a.ownFolder(), a.logger)
	})
	if err != nil {
		return err
	}
	a.loaded = true
	a.shared = shared.(*Shared)
	a.shared.enter(a)
	a.shared.Streams.Limit(a.streams())
	if reloaded {
		if err := a.reload(); err != nil {
			return err
		}
	}
	close(a.ready)
	return nil
}

// ownFolder returns the data directory when what this configuration opens belongs
// to it, so that it can be open once only; "" when all is in other processes.
func (a *App) ownFolder() string {
	const other = "/"
	if a.sidecar.Key(a.DataDir) == a.sidecar.Key(other) && a.engines.Key(a.DataDir) == a.engines.Key(other) {
		return ""
	}
	return a.DataDir
}

// folderTaken reports whether an earlier configuration of this process opened a
// data directory: the same one with options that a reload can't change, or another
// one, whose users, keys and streams all would be gone.
func (a *App) folderTaken() (found bool) {
	folder := a.ownFolder()
	backends.Range(func(key, shared any) bool {
		found = folder != "" && key != a.key && shared.(*Shared).dataDir != ""
		return !found
	})
	return found
}

// reload applies this configuration's options to what an earlier one opened.
func (a *App) reload() error {
	if r, ok := a.engines.(EnginesReloader); ok {
		if err := r.ReloadEngines(a.shared.backend.engines); err != nil {
			return err
		}
	}
	if r, ok := a.sidecar.(SidecarReloader); ok {
		return r.ReloadSidecar(a.shared.backend.sidecar)
	}
	return nil
}

// Stop does nothing: the HTTP app may still be draining requests that need
// the backend. Cleanup comes after it.
func (a *App) Stop() error { return nil }

// Cleanup gives the backend back; the last configuration to do so closes it.
func (a *App) Cleanup() error {
	if !a.loaded {
		return nil
	}
	restored := a.shared.leave(a)
	_, err := backends.Delete(a.key)
	return errors.Join(restored, err)
}

// openSidecar returns the opened backend's sidecar, waiting for the app to start.
func (a *App) openSidecar(ctx context.Context) (sidecar.Service, error) {
	shared, err := a.Shared(ctx)
	if err != nil {
		return nil, err
	}
	return shared.Sidecar, nil
}

// Shared returns the opened backend, waiting for the app to start.
func (a *App) Shared(ctx context.Context) (*Shared, error) {
	select {
	case <-a.ready:
		return a.shared, nil
	default:
	}
	select {
	case <-a.ready:
		return a.shared, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(startTimeout):
		return nil, errors.New("the app svc has not started")
	}
}

// appOf returns the configuration's app svc. One that can't be loaded is Caddy's
// to refuse, which loads each app that is configured: said from here the reason
// would stand behind the names of all the routes that lead here, when Caddy
// happens to load them first. The App is then one that never starts.
func appOf(ctx caddy.Context) (*App, error) {
	app, err := ctx.AppIfConfigured("svc")
	switch {
	case errors.Is(err, caddy.ErrNotConfigured):
		app, err = ctx.App("svc")
	case err != nil:
		return &App{refused: true, ready: make(chan struct{})}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("loading app svc: %w", err)
	}
	return app.(*App), nil
}

// addStep notes a step of the server that is being provisioned.
func (a *App) addStep(ctx caddy.Context, s step) error {
	if a.refused {
		return nil
	}
	return a.steps.add(ctx, s)
}

// exposeRule tells the client the policy's rule that decided, "" for none, where
// the configuration wants it.
func (a *App) exposeRule(w http.ResponseWriter, rule string) {
	if a.ExposeRule && rule != "" {
		w.Header().Set(gateway.HeaderPolicyRule, rule)
	}
}

// Interface guards
var (
	_ caddy.App           = (*App)(nil)
	_ caddy.Provisioner   = (*App)(nil)
	_ caddy.CleanerUpper  = (*App)(nil)
	_ caddyevents.Handler = stopper{}
	_ caddy.Destructor    = (*Shared)(nil)
)
