package activation

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/svc-games/svc/peer/metric"
	"github.com/svc-games/svc/policy/decisionlog"
)

// Metrics count what becomes of policies. One set serves a process: whoever
// hosts the engine registers it.
type Metrics struct {
	metric.Set
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
	m := &Metrics{log: decisionlog.NewCounters()}
	m.info = m.Gauges("svc_policy_info",
		"1 for the revision of the active policy and of the one that its source holds.", "state", "revision")
	m.degraded = m.Gauge("svc_policy_degraded", "1 while the source holds a policy that could not be activated.")
	m.waiting = m.Gauge("svc_policy_waiting", "1 while a policy waits in shadow for an approval.")
	m.differing = m.Gauge("svc_policy_differing_sidecars", "Sidecars with the same store that decide by another policy.")
	m.since = m.Gauge("svc_policy_activated_timestamp_seconds", "When the active policy was activated.")
	m.activations = m.Counter("svc_policy_activations_total", "Policies that became active, rollbacks included.")
	m.failures = m.Counters("svc_policy_activation_failures_total",
		"Policies that did not become active, by the step that failed.", "step")
	m.shadowed = m.Counters("svc_policy_shadow_decisions_total",
		"Decisions that a candidate was to make too, by what became of them.", "outcome")
	m.shadowDiffs = m.Counters("svc_policy_shadow_diffs_total",
		"Decisions that a candidate would make otherwise, by both statuses and the candidate's rule.", "from", "to", "rule")
	metric.Begin(m.failures, Steps()...)
	return m
}

// Log returns the counters of the decision log.
func (m *Metrics) Log() *decisionlog.Counters { return m.log }

// Collectors returns all of them, to be registered.
func (m *Metrics) Collectors() []prometheus.Collector {
	return slices.Concat(m.Set.Collectors(), m.log.Collectors())
}

// failed counts an activation that failed, and returns why.
func (m *Metrics) failed(why *Failure) *Failure {
	m.failures.WithLabelValues(why.Step).Inc()
	return why
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
