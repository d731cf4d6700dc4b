// Package host puts an engine proxy together: driver, way to models, the proxy
// and its socket. The gateway's process hosts one this way, and
// svc-engine-proxy does.
package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"

	"go.uber.org/zap"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/docker"
	"github.com/svc-games/svc/engine-proxy/driver/kubernetes"
	"github.com/svc-games/svc/engine-proxy/driver/process"
	"github.com/svc-games/svc/engine-proxy/egress"
	"github.com/svc-games/svc/engine-proxy/fleet"
)

// Options of Open. DataDir and Ledger are required.
type Options struct {
	DataDir string
	Ledger  engineproxy.Ledger

	// Driver is how engines run: process, the default, docker or kubernetes.
	Driver string
	// Process, Docker and Kubernetes are the options of the drivers.
	Process    *Process
	Docker     *Docker
	Kubernetes *Kubernetes
	// Command is the engine's program; default: svc-engine beside the running
	// executable, or the image's own.
	Command string
	// Frameworks is the folder with the game frameworks, as FindFrameworks
	// takes it; images have their own.
	Frameworks string
	// AllowWeakIsolation is that of fleet.Options.
	AllowWeakIsolation bool
	// Egress says which models engines may call; nil: none.
	Egress *egress.Config

	Settings fleet.Settings
	Timing   fleet.Timing
	Metrics  *Metrics    // default: a set that nobody reads
	Logger   *zap.Logger // default: none
	// TakeOver and Serve are those of fleet.Options.
	TakeOver bool
	Serve    func(e engineproxy.Engines) http.Handler
}

// Validate refuses options that can't work. It reads no file.
func (o Options) Validate() error {
	if err := o.validateDriver(); err != nil {
		return fmt.Errorf("engines: %w", err)
	}
	if o.Egress != nil {
		if err := o.Egress.Validate(); err != nil {
			return fmt.Errorf("engines: %w", err)
		}
	}
	switch s := o.Settings; {
	case s.IdleTTL < 0:
		return fmt.Errorf("engines: idle must not be negative, is %s", s.IdleTTL)
	case s.Retain < 0:
		return fmt.Errorf("engines: retain must not be negative, is %s", s.Retain)
	case s.MaxEngines < 0 || s.MaxPerOwner < 0 || s.MaxArchive < 0:
		return errors.New("engines: max_engines, max_per_owner and max_archive must not be negative")
	}
	return nil
}

// validateDriver refuses a driver that there is not, options of another one,
// and those that can't work.
func (o Options) validateDriver() error {
	for name, given := range map[string]bool{
		process.Name: o.Process != nil, docker.Name: o.Docker != nil, kubernetes.Name: o.Kubernetes != nil,
	} {
		if given && name != o.Driver {
			return fmt.Errorf("the options of the driver %s are given, but the driver is %s", name, o.Driver)
		}
	}
	if o.Driver != process.Name && o.Frameworks != "" {
		return fmt.Errorf("frameworks has no meaning with the driver %s: they are in its image", o.Driver)
	}
	switch o.Driver {
	case process.Name:
		return o.process().validate()
	case docker.Name:
		options := o.docker().options(".", o.Command, nil)
		return options.Validate()
	case kubernetes.Name:
		return o.kubernetes().validate(o.Command, o.Egress != nil)
	}
	return fmt.Errorf("driver must be %s, %s or %s, is %q", process.Name, docker.Name, kubernetes.Name, o.Driver)
}

// Host is an open engine proxy.
type Host struct {
	Proxy  *fleet.Proxy
	driver driver.Driver
}

// Open opens the driver, and starts the engine proxy: it adopts the engines
// that run.
func Open(ctx context.Context, o Options) (*Host, error) {
	o.Logger = cmp.Or(o.Logger, zap.NewNop())
	o.Metrics = cmp.Or(o.Metrics, NewMetrics())
	d, err := o.openDriver(ctx)
	if err != nil {
		return nil, fmt.Errorf("opening the engine proxy: %w", err)
	}
	h := &Host{driver: d}
	if h.Proxy, err = o.open(ctx, d); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the engine proxy: %w", err), h.closeDriver())
	}
	return h, nil
}

func (o Options) openDriver(ctx context.Context) (driver.Driver, error) {
	switch o.Driver {
	case docker.Name:
		return o.openDocker(ctx)
	case kubernetes.Name:
		return o.openKubernetes(ctx)
	}
	return o.openProcess()
}

// check refuses a driver that can't run engines as configured. One whose daemon is
// unavailable may come back.
func (o Options) check(ctx context.Context, daemon string, d interface {
	driver.Driver
	io.Closer
}) error {
	err := d.Check(ctx)
	if errors.Is(err, driver.ErrFatalSpec) {
		return errors.Join(fmt.Errorf("checking %s: %w", daemon, err), d.Close())
	}
	if err != nil {
		o.Logger.Error("no engine can be started before "+daemon+" answers", zap.Error(err))
	}
	return nil
}

func (o Options) open(ctx context.Context, d driver.Driver) (*fleet.Proxy, error) {
	models, err := o.openEgress()
	if err != nil {
		return nil, err
	}
	if o.Driver == kubernetes.Name {
		if o.Timing, err = o.kubernetes().timing(o.Timing); err != nil {
			return nil, err
		}
	}
	proxy, err := fleet.New(fleet.Options{
		DataDir: o.DataDir, Driver: d, Ledger: o.Ledger, Egress: models, Logger: o.Logger, Metrics: o.Metrics.engines, Serve: o.Serve, TakeOver: o.TakeOver,
		AllowWeakIsolation: o.AllowWeakIsolation, Timing: o.Timing, IdleTTL: o.Settings.IdleTTL,
	})
	if err != nil {
		return nil, err
	}
	err = proxy.Start(ctx)
	if err == nil {
		err = proxy.Apply(o.Settings)
	}
	if err != nil {
		return nil, errors.Join(err, proxy.Close(ctx, fleet.KeepEngines))
	}
	return proxy, nil
}

// openEgress returns the way to models, nil when none is configured.
func (o Options) openEgress() (engineproxy.Egress, error) {
	if o.Egress == nil {
		return nil, nil
	}
	return egress.New(egress.Options{
		Dir: filepath.Join(o.DataDir, engineproxy.EgressDir), Config: *o.Egress, Ledger: o.Ledger,
		Listen: o.kubernetes().EgressListen, URL: o.kubernetes().EgressURL,
		Logger: o.Logger.Named("egress"), Metrics: o.Metrics.egress,
	})
}

// Close ends the engine proxy, and according to mode engines.
func (h *Host) Close(ctx context.Context, mode fleet.CloseMode) error {
	return errors.Join(h.Proxy.Close(ctx, mode), h.closeDriver())
}

// closeDriver gives back what the driver holds, when it holds anything.
func (h *Host) closeDriver() error {
	if c, ok := h.driver.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
