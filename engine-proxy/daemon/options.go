// Package daemon is the engine proxy as a process of its own,
// svc-engine-proxy: its command line, and its life from start to stop.
package daemon

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/svc-games/svc/api/exact"
	"github.com/svc-games/svc/engine-proxy/driver/docker"
	"github.com/svc-games/svc/engine-proxy/driver/kubernetes"
	"github.com/svc-games/svc/engine-proxy/driver/process"
	"github.com/svc-games/svc/engine-proxy/egress"
	"github.com/svc-games/svc/engine-proxy/fleet"
	"github.com/svc-games/svc/engine-proxy/host"
	"github.com/svc-games/svc/engine-proxy/state"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/cli"
)

// defaultSidecar is where a sidecar of this machine listens, relative to the
// data directory.
const defaultSidecar = "run/sidecar.sock"

// Options are the command line of svc-engine-proxy.
type Options struct {
	// Host holds what the command line says of the engine proxy itself.
	Host host.Options
	// Listen is where gateways ask besides the data directory's socket; nil:
	// nowhere else.
	Listen *peer.Address
	// Sidecar is where the ledger is, SidecarName what its certificate bears.
	Sidecar     *peer.Address
	SidecarName string
	// TLS is this end's for both, Names those of peer.ServerOptions. Who bears one of
	// MonitorNames and none of Names may ask at Listen what monitors ask, and no more.
	TLS                 peer.TLS
	Names, MonitorNames []string
	// Stop is what becomes of engines when the process is told to stop.
	Stop fleet.CloseMode

	LogLevel, LogFormat string
}

// ParseOptions reads the command line args and the environment. When args ask
// for help it is written to stderr, and the error is flag.ErrHelp.
func ParseOptions(args []string, getenv func(string) string, stderr io.Writer) (Options, error) {
	var o Options
	var driverOptions, models, stop string
	h := &o.Host
	f := cli.New("svc-engine-proxy", getenv)
	f.String(&h.DataDir, "data-dir", "SVC_DATA_DIR", "data", "`folder` of volumes, archive, journals and sockets")
	f.Address(&o.Listen, "listen", "SVC_ENGINES_LISTEN", "further `address` for gateways, for those on other hosts (default: "+state.SocketName+" in the data directory alone)")
	f.Address(&o.Sidecar, "sidecar", "SVC_SIDECAR", "`address` of the sidecar (default: "+defaultSidecar+" in the data directory)")
	f.String(&o.SidecarName, "sidecar-name", "", "", "`name` in the sidecar's certificate (default: the host of its address)")
	f.String(&h.Driver, "driver", "SVC_ENGINE_DRIVER", process.Name, "how engines run: process, docker or kubernetes")
	f.String(&driverOptions, "driver-options", "SVC_ENGINE_DRIVER_OPTIONS", "", "`file` of the driver's options: one JSON object, with the names of the Caddyfile")
	f.String(&h.Command, "command", "", "", "the engine's `program` (default: svc-engine beside this one, or the image's own)")
	f.String(&h.Frameworks, "frameworks", "", "", "`folder` of the game frameworks (default: $SVC_FRAMEWORKS, else frameworks beside this program)")
	f.Bool(&h.AllowWeakIsolation, "allow-weak-isolation", "", "run engines of several owners even where they can't be kept apart")
	f.Duration(&h.Settings.IdleTTL, "idle", "SVC_ENGINE_IDLE", 10*time.Minute, "`time` that an engine without work is kept")
	f.Duration(&h.Settings.Retain, "retain", "", 30*24*time.Hour, "`time` that records, events and files of ended jobs are kept")
	f.Size(&h.Settings.MaxArchive, "max-archive", "", "`size` that the archive may have: older jobs are forgotten before --retain (default: any)")
	f.Number(&h.Settings.MaxEngines, "max-engines", "", "`number` of engines there may be (default: by the machine's memory)")
	f.Number(&h.Settings.MaxPerOwner, "max-per-owner", "", "`number` of engines that one owner may have (default: 8)")
	f.String(&stop, "stop-on-exit", "SVC_STOP_ENGINES", host.StopNone, "what a stop does with engines: idle, all or none")
	f.String(&models, "egress", "SVC_EGRESS", "", "`file` of the models that engines may call (default: none)")
	f.Listeners(&o.TLS, &o.Names)
	f.List(&o.MonitorNames, "monitor-names", "SVC_MONITOR_NAMES", "further `names` that a client's certificate may bear, for /metrics and /healthz at --listen alone")
	f.Bool(&h.TakeOver, "take-over", "", "take the sockets from the svc-engine-proxy that runs, which then stops and leaves its engines")
	f.String(&o.LogLevel, "log-level", "SVC_LOG_LEVEL", "info", "`level`: debug, info, warn or error")
	f.String(&o.LogFormat, "log-format", "SVC_LOG_FORMAT", "console", "`format`: console or json")
	if err := f.Parse(args, stderr); err != nil {
		return Options{}, err
	}
	if err := cli.CheckListener("--listen", o.Listen, o.TLS, "--tls-names", o.Names); err != nil {
		return Options{}, err
	}
	dir, err := filepath.Abs(h.DataDir)
	if err != nil {
		return Options{}, fmt.Errorf("resolving --data-dir: %w", err)
	}
	h.DataDir = dir
	if o.Sidecar == nil {
		o.Sidecar = &peer.Address{Network: "unix", Name: filepath.Join(dir, defaultSidecar)}
	}
	if o.Stop, err = host.StopMode(stop); err != nil {
		return Options{}, err
	}
	if driverOptions != "" {
		if err := readDriver(h, driverOptions); err != nil {
			return Options{}, err
		}
	}
	if models != "" {
		config, err := egress.ReadConfig(models)
		if err != nil {
			return Options{}, err
		}
		h.Egress = &config
	}
	return o, h.Validate()
}

// readDriver reads the options of the driver that was chosen.
func readDriver(h *host.Options, path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading driver options: %w", err)
	}
	var into any = &h.Process
	switch h.Driver {
	case docker.Name:
		into = &h.Docker
	case kubernetes.Name:
		into = &h.Kubernetes
	}
	var wrong *json.UnmarshalTypeError
	switch err := exact.Decode(bytes.NewReader(raw), into); {
	case errors.As(err, &wrong) && wrong.Value == "string":
		return fmt.Errorf("reading driver options %s: %s can't be a text: write a number without quotes, a size in bytes", path, wrong.Field)
	case err != nil:
		return fmt.Errorf("reading driver options %s: %w", path, err)
	}
	return nil
}
