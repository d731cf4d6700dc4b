package decisionlog

import "github.com/prometheus/client_golang/prometheus"

// Counters count what becomes of records. One set serves a process.
type Counters struct {
	records *prometheus.CounterVec
	broken  prometheus.Gauge

	written, dropped, refused, unmasked prometheus.Counter
}

// NewCounters returns counters at zero.
func NewCounters() *Counters {
	c := &Counters{
		records: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "svc_decision_log_records_total",
			Help: "Records of the decision log: written; dropped; refused, with the request, by a required log; unmasked, and therefore written without input and result.",
		}, []string{"outcome"}),
		broken: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "svc_decision_log_broken", Help: "1 while the decision log can't be written to.",
		}),
	}
	c.written = c.records.WithLabelValues("written")
	c.dropped = c.records.WithLabelValues("dropped")
	c.refused = c.records.WithLabelValues("refused")
	c.unmasked = c.records.WithLabelValues("unmasked")
	return c
}

// Collectors returns all of them, to be registered.
func (c *Counters) Collectors() []prometheus.Collector {
	return []prometheus.Collector{c.records, c.broken}
}
