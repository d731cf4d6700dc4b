package embedded

import (
	"errors"
	"fmt"

	"github.com/caddyserver/caddy/v2"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/svc-games/svc/engine-proxy/host"
)

// metrics are those of engines and their calls to models, one set for this process: Caddy makes a new
// registry at each reload, and a counter must not fall back to zero then.
var metrics = host.NewMetrics()

func registerMetrics(ctx caddy.Context) error {
	registry := ctx.GetMetricsRegistry()
	if registry == nil {
		return nil
	}
	for _, one := range metrics.Collectors() {
		var there prometheus.AlreadyRegisteredError
		if err := registry.Register(one); err != nil && !errors.As(err, &there) {
			return fmt.Errorf("registering the engines' metrics: %w", err)
		}
	}
	return nil
}
