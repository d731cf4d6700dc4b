package daemon

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.uber.org/zap"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/fleet"
	"github.com/svc-games/svc/engine-proxy/host"
	"github.com/svc-games/svc/engine-proxy/remote"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/cli"
	"github.com/svc-games/svc/peer/span/export"
)

const (
	// openTimeout bounds the start.
	openTimeout = 30 * time.Second
	// closeTimeout bounds the stop, that of engines included.
	closeTimeout = 40 * time.Second
	// takeOverTimeout is how much longer a start may take that waits for the
	// end of another engine proxy.
	takeOverTimeout = closeTimeout + 20*time.Second
)

// NewLedger makes the way to the ledger out of the one to the sidecar's
// process. The sidecar's side knows how; this one imports nothing of it.
type NewLedger func(sidecar http.RoundTripper) engineproxy.Ledger

// Run serves until ctx ends, or until another process has taken the sockets
// over. Engines with work are left running, after a take-over all are: the next
// engine proxy on the same data directory adopts them.
func Run(ctx context.Context, o Options, ledger NewLedger) error {
	logger, err := cli.Logger(o.LogLevel, o.LogFormat)
	if err != nil {
		return err
	}
	sent, err := export.Start(ctx, "svc-engine-proxy", logger)
	if err != nil {
		return err
	}
	defer sent()
	side, err := peer.NewClient(peer.ClientOptions{Address: *o.Sidecar, TLS: o.TLS, ServerName: o.SidecarName, Logger: logger})
	if err != nil {
		return fmt.Errorf("finding the sidecar: %w", err)
	}
	defer side.CloseIdle()

	o.Host.Ledger, o.Host.Logger = ledger(side), logger
	o.Host.Metrics = host.NewMetrics()
	metrics := serveMetrics(o.Host.Metrics, o.TLS)
	o.Host.Serve = func(e engineproxy.Engines) http.Handler {
		return monitored(remote.NewHandler(remote.HandlerOptions{Engines: e, Direct: true, Logger: logger}), e, metrics)
	}
	timeout := openTimeout
	if o.Host.TakeOver {
		timeout += takeOverTimeout
	}
	opening, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := side.Reach(opening, "svc-sidecar"); err != nil {
		logger.Warn("sidecar not reached; submissions are refused until it is", zap.Error(err))
	}
	gateways := &front{options: o, metrics: metrics, logger: logger}
	if err := gateways.check(); err != nil {
		return cli.SuggestTakeOver(err)
	}
	if gateways.early() {
		if err := gateways.listen(); err != nil {
			return err
		}
	}
	h, err := host.Open(opening, o.Host)
	if err != nil {
		return cli.SuggestTakeOver(errors.Join(err, gateways.close()))
	}
	stop := o.Stop
	if err = gateways.listen(); err == nil {
		gateways.open(h.Proxy)
		logger.Info("engine proxy serves", zap.String("data_dir", o.Host.DataDir), zap.String("driver", o.Host.Driver),
			zap.Stringer("sidecar", o.Sidecar))
		select {
		case <-ctx.Done():
			logger.Info("engine proxy stops")
		case <-h.Proxy.TakenOver():
			logger.Info("engine proxy stops: another one has taken its socket over")
			stop = fleet.KeepEngines
		}
	}
	closing, done := context.WithTimeout(context.Background(), closeTimeout)
	defer done()
	return errors.Join(err, gateways.close(), h.Close(closing, stop))
}

// monitored serves what monitors ask for beside the calls of gateways.
func monitored(calls http.Handler, e engineproxy.Engines, metrics http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	mux.Handle("GET "+peer.HealthPath, remote.NewHealthHandler(e))
	mux.Handle("/", calls)
	return mux
}

func serveMetrics(m *host.Metrics, files peer.TLS) http.Handler {
	registry, certificates := prometheus.NewRegistry(), new(peer.Certificates)
	certificates.Use("listener", files)
	registry.MustRegister(certificates)
	registry.MustRegister(m.Collectors()...)
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}
