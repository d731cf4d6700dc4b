package caddymodule

import (
	"errors"
	"fmt"

	"github.com/caddyserver/caddy/v2"
	"github.com/prometheus/client_golang/prometheus"
)

// RegisterMetrics adds collectors to the registry of ctx's configuration, where they
// are not there already: Caddy makes a new registry at each reload, and counters that
// must not fall back to zero then belong to the process.
func RegisterMetrics(ctx caddy.Context, collectors ...prometheus.Collector) error {
	registry := ctx.GetMetricsRegistry()
	if registry == nil {
		return nil
	}
	for _, one := range collectors {
		var there prometheus.AlreadyRegisteredError
		if err := registry.Register(one); err != nil && !errors.As(err, &there) {
			return fmt.Errorf("registering metrics: %w", err)
		}
	}
	return nil
}
