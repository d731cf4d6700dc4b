package host

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/svc-games/svc/engine-proxy/egress"
	"github.com/svc-games/svc/engine-proxy/fleet"
)

// Metrics are the collectors of everything that a Host puts together. A set
// may outlive a Host.
type Metrics struct {
	engines *fleet.Metrics
	egress  *egress.Metrics
}

// NewMetrics returns a set of collectors.
func NewMetrics() *Metrics {
	return &Metrics{engines: fleet.NewMetrics(), egress: egress.NewMetrics()}
}

// Collectors returns everything that a registry must know.
func (m *Metrics) Collectors() []prometheus.Collector {
	return append(m.engines.Collectors(), m.egress.Collectors()...)
}
