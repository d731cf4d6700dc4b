package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"github.com/svc-games/svc/caddymodule"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/driver/docker"
	"github.com/svc-games/svc/engine-proxy/driver/kubernetes"
	"github.com/svc-games/svc/engine-proxy/driver/process"
	"github.com/svc-games/svc/engine-proxy/fleet"
	"github.com/svc-games/svc/engine-proxy/host"
	"github.com/svc-games/svc/engine-proxy/remote"
)

// closeTimeout bounds the stop of engines.
const closeTimeout = 40 * time.Second

// Engines opens the engine proxy in this process.
type Engines struct {
	// How engines run: process, docker or kubernetes. Default:
	// $SVC_ENGINE_DRIVER, else process.
	Driver string `json:"driver,omitempty"`

	// The options of the driver process.
	Process *host.Process `json:"process,omitempty"`

	// The options of the driver docker.
	Docker *host.Docker `json:"docker,omitempty"`

	// The options of the driver kubernetes.
	Kubernetes *host.Kubernetes `json:"kubernetes,omitempty"`

	// Run engines of several owners even where they can't be kept apart. Any
	// engine can then read and change what the others and the service itself
	// keep. Default: the engines of all owners but the first are refused.
	AllowWeakIsolation bool `json:"allow_weak_isolation,omitempty"`

	// The engine's program. Default: svc-engine beside the running executable;
	// with docker, the image's own.
	Command string `json:"command,omitempty"`

	// The folder with the game frameworks. Default: $SVC_FRAMEWORKS, else
	// frameworks beside the running executable; with docker, the image's own.
	Frameworks string `json:"frameworks,omitempty"`

	// How long an engine without work is kept. Default: $SVC_ENGINE_IDLE, else
	// 10m.
	Idle caddy.Duration `json:"idle,omitempty"`

	// How long the archive and the ledger keep what ended jobs left: record,
	// events and files. Default: 720h, 30 days.
	Retain caddy.Duration `json:"retain,omitempty"`

	// How many bytes the archive may take: of jobs that are not published those
	// that ended first go earlier than retain says, but none within an hour of
	// its end. Default: any number.
	MaxArchive int64 `json:"max_archive,omitempty"`

	// How many engines there may be. When another one is needed, the one that
	// has been idle for longest is stopped. Default: as many as have 64 MiB
	// each in three quarters of the machine's memory, at least 32.
	MaxEngines int `json:"max_engines,omitempty"`

	// How many engines one owner may have. Default: 8.
	MaxPerOwner int `json:"max_per_owner,omitempty"`

	// What a stop of the service does with engines: idle, all or none.
	// Default: $SVC_STOP_ENGINES, else idle.
	StopOnExit string `json:"stop_on_exit,omitempty"`

	// Which models engines may call. Default: those of egress_file.
	Egress *Egress `json:"egress,omitempty"`

	// The file that says so, in place of egress. Default: $SVC_EGRESS, else
	// none, and no models.
	EgressFile string `json:"egress_file,omitempty"`

	// Timing is for programs that test the lifecycle; zero is the default.
	Timing fleet.Timing `json:"-"`
}

// CaddyModule returns the Caddy module information.
func (Engines) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "svc.engines.embedded", New: func() caddy.Module { return new(Engines) }}
}

// Provision sets defaults.
func (e *Engines) Provision(ctx caddy.Context) error {
	e.Driver = cmp.Or(e.Driver, os.Getenv("SVC_ENGINE_DRIVER"), process.Name)
	e.StopOnExit = cmp.Or(e.StopOnExit, os.Getenv("SVC_STOP_ENGINES"), host.StopIdle)
	if text := os.Getenv("SVC_ENGINE_IDLE"); text != "" && e.Idle == 0 {
		idle, err := caddy.ParseDuration(text)
		if err != nil || idle <= 0 {
			return fmt.Errorf("SVC_ENGINE_IDLE: %q is not a duration like 10m", text)
		}
		e.Idle = caddy.Duration(idle)
	}
	e.Idle = cmp.Or(e.Idle, caddy.Duration(10*time.Minute))
	return caddymodule.RegisterMetrics(ctx, engineMetrics.Collectors()...)
}

// Validate checks the options.
func (e *Engines) Validate() error {
	if e.Egress != nil {
		if e.EgressFile != "" {
			return errors.New("engines: egress is given twice: as a block and as a file")
		}
		if err := e.Egress.validate(); err != nil {
			return err
		}
	}
	if err := e.options().Validate(); err != nil {
		return err
	}
	_, err := host.StopMode(e.StopOnExit)
	return err
}

// options are those of the engine proxy, as far as no file tells them.
func (e *Engines) options() host.Options {
	return host.Options{
		Driver: e.Driver, Process: e.Process, Docker: e.Docker, Kubernetes: e.Kubernetes, Command: e.Command, Frameworks: e.Frameworks,
		AllowWeakIsolation: e.AllowWeakIsolation, Settings: e.settings(), Timing: e.Timing,
	}
}

func (e *Engines) settings() fleet.Settings {
	return fleet.Settings{
		IdleTTL: time.Duration(e.Idle), MaxEngines: e.MaxEngines, MaxPerOwner: e.MaxPerOwner, Retain: time.Duration(e.Retain), MaxArchive: e.MaxArchive,
	}
}

// Check implements caddymodule.EnginesBackend: a client that was told to come
// back must find the engine that was started for it.
func (e *Engines) Check(retryAfter time.Duration) error {
	if idle := time.Duration(e.Idle); idle < 2*retryAfter {
		return fmt.Errorf("engines: idle is %s and must be at least twice retry_after, %s: "+
			"an engine would be stopped before the client it was started for comes back", idle, retryAfter)
	}
	return nil
}

// Key implements caddymodule.EnginesBackend: one data directory, one engine proxy.
func (e *Engines) Key(dataDir string) string { return "embedded:" + dataDir }

// OpenEngines implements caddymodule.EnginesBackend.
func (e *Engines) OpenEngines(
	ctx context.Context, dataDir string, ledger engineproxy.Ledger, logger *zap.Logger,
) (*caddymodule.OpenedEngines, error) {
	mode, err := host.StopMode(e.StopOnExit)
	if err != nil {
		return nil, err
	}
	options := e.options()
	if options.Egress, err = e.egressConfig(); err != nil {
		return nil, fmt.Errorf("opening the engine proxy: %w", err)
	}
	options.DataDir, options.Ledger, options.Logger, options.Metrics = dataDir, ledger, logger, engineMetrics
	switch e.Driver {
	case docker.Name:
		logger.Warn("this process holds the Docker socket, which equals root; " +
			"run svc-engine-proxy on its own to keep it out of the gateway")
	case kubernetes.Name:
		logger.Warn("this process may start and delete pods; " +
			"run svc-engine-proxy on its own to keep that out of the gateway")
	}
	h, err := host.Open(ctx, options)
	if err != nil {
		return nil, err
	}
	near := remote.NewNear(h.Proxy, remote.Options{Dir: filepath.Join(dataDir, "run"), Logger: logger})
	live := &liveEngines{Engines: near, proxy: h.Proxy, fixed: e.fixed(), mode: mode}
	return &caddymodule.OpenedEngines{Engines: live, Close: func() error {
		ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		return errors.Join(near.Close(), h.Close(ctx, live.mode))
	}}, nil
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Engines)(nil)
	_ caddy.Validator             = (*Engines)(nil)
	_ caddymodule.EnginesBackend  = (*Engines)(nil)
	_ caddymodule.EnginesReloader = (*Engines)(nil)
	_ engineproxy.Engines         = (*fleet.Proxy)(nil)
)
