package activation

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/svc-games/svc/policy/decisionlog"
)

// Metrics count what becomes of policies. One set serves a process: whoever
// hosts the engine registers it.
type Metrics struct {
	info        *prometheus.GaugeVec
	degraded    prometheus.Gauge
	waiting     prometheus.Gauge
	differing   prometheus.Gauge
	since       prometheus.Gauge
	activations prometheus.Counter
	failures    *prometheus.CounterVec
	shadowed    *prometheus.CounterVec
	shadowDiffs *prometheus.CounterVec
	log         *decisionlog.Counters
}

// What became of a decision that a candidate was to make, too.
const (
	shadowSame    = "same"
	shadowDiffers = "differs"
	shadowFailed  = "failed"  // the candidate made no decision
	shadowDropped = "dropped" // there was no time for it
)

// NewMetrics returns metrics at zero.
func NewMetrics() *Metrics {
	m := &Metrics{
		info: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "svc_policy_info",
			Help: "1 for the revision of the active policy and of the one that its source holds.",
		}, []string{"state", "revision"}),
		degraded: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "svc_policy_degraded", Help: "1 while the source holds a policy that could not be activated.",
		}),
		waiting: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "svc_policy_waiting", Help: "1 while a policy waits in shadow for an approval.",
		}),
		differing: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "svc_policy_differing_sidecars", Help: "Sidecars with the same store that decide by another policy.",
		}),
		since: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "svc_policy_activated_timestamp_seconds", Help: "When the active policy was activated.",
		}),
		activations: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "svc_policy_activations_total", Help: "Policies that became active, rollbacks included.",
		}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "svc_policy_activation_failures_total", Help: "Policies that did not become active, by the step that failed.",
		}, []string{"step"}),
		shadowed: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "svc_policy_shadow_decisions_total", Help: "Decisions that a candidate was to make too, by what became of them.",
		}, []string{"outcome"}),
		shadowDiffs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "svc_policy_shadow_diffs_total",
			Help: "Decisions that a candidate would make otherwise, by both statuses and the candidate's rule.",
		}, []string{"from", "to", "rule"}),
		log: decisionlog.NewCounters(),
	}
	for _, step := range Steps() {
		m.failures.WithLabelValues(step)
	}
	return m
}

// Log returns the counters of the decision log.
func (m *Metrics) Log() *decisionlog.Counters { return m.log }

// Collectors returns all of them, to be registered.
func (m *Metrics) Collectors() []prometheus.Collector {
	return append([]prometheus.Collector{
		m.info, m.degraded, m.waiting, m.differing, m.since, m.activations, m.failures, m.shadowed, m.shadowDiffs,
	}, m.log.Collectors()...)
}

// activated notes the active generation.
func (m *Metrics) activated(g Info) {
	m.activations.Inc()
	m.since.Set(float64(g.ActivatedAt.Unix()))
	m.info.DeletePartialMatch(prometheus.Labels{"state": "active"})
	m.info.WithLabelValues("active", g.Revision).Set(1)
}

// wants notes what the source holds.
func (m *Metrics) wants(p problem) {
	m.info.DeletePartialMatch(prometheus.Labels{"state": "wanted"})
	m.info.WithLabelValues("wanted", p.wanted).Set(1)
	m.degraded.Set(0)
	if p.failure != nil {
		m.degraded.Set(1)
	}
}
