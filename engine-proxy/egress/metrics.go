package egress

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/peer/metric"
)

// Metrics are the egress's collectors. A set may outlive an egress: counters
// must not fall back to zero because a configuration changed. No label's value
// comes from an engine or a provider: models are those of the configuration.
type Metrics struct {
	metric.Set
	calls  *prometheus.CounterVec
	took   *prometheus.HistogramVec
	units  *prometheus.CounterVec
	active *prometheus.GaugeVec
}

// Outcomes of a call that was not refused, as they stand in
// svc_egress_calls_total. That of any other is the refusal's reason.
const (
	outcomeAnswered = "answered"
	outcomeBroken   = "broken" // the answer, or the engine's connection, ended before its end
)

// How it is known what a call used, as it stands in svc_egress_units_total.
const (
	basisCounted = "counted" // by the provider's answer, or by what was passed on
	basisLimit   = "limit"   // not at all: the most that it could be
)

// From a cached answer to the time-out of a call.
var callBuckets = []float64{0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300}

// NewMetrics returns a set of collectors.
func NewMetrics() *Metrics {
	m := new(Metrics)
	m.calls = m.Counters("svc_egress_calls_total",
		"Calls of engines to models, by use and outcome: answered, broken, or why they were refused.", "use", "outcome")
	m.took = m.Histograms("svc_egress_call_seconds", "How long calls took that went out to a provider, to the end of the answer.", callBuckets, "use")
	m.units = m.Counters("svc_egress_units_total",
		"What calls used, as it is charged: counted, or taken at the limit because nobody knows.", "unit", "basis")
	m.active = m.Gauges("svc_egress_active_calls", "Calls that wait for a provider's answer, or are passing it on.", "use")
	for _, u := range useNames {
		m.calls.WithLabelValues(u, outcomeAnswered)
		m.active.WithLabelValues(u)
	}
	return m
}

// ended counts a call by what became of it.
func (m *Metrics) ended(u Use, refused *refusal, err error) {
	outcome := outcomeAnswered
	switch {
	case refused != nil:
		outcome = refused.reason
	case err != nil:
		outcome = outcomeBroken
	}
	m.calls.WithLabelValues(string(u), outcome).Inc()
}

// sent begins to measure a call that goes out, and returns how to end that.
func (m *Metrics) sent(u Use) (done func()) {
	began := time.Now()
	m.active.WithLabelValues(string(u)).Inc()
	return func() {
		m.active.WithLabelValues(string(u)).Dec()
		m.took.WithLabelValues(string(u)).Observe(time.Since(began).Seconds())
	}
}

// used counts what a call cost; nil, its limit.
func (m *Metrics) used(cost, limit []contract.Unit) {
	basis := basisCounted
	if cost == nil {
		cost, basis = limit, basisLimit
	}
	for _, u := range cost {
		m.units.WithLabelValues(u.Name, basis).Add(float64(u.Quantity))
	}
}
