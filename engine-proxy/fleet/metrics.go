package fleet

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/lifecycle"
	"github.com/svc-games/svc/engine-proxy/settle"
	"github.com/svc-games/svc/peer/disk"
	"github.com/svc-games/svc/peer/metric"
)

// Metrics are the engine proxy's collectors. A set may outlive an engine
// proxy: counters must not fall back to zero because a configuration changed.
// Every label has a handful of values.
type Metrics struct {
	metric.Set
	engines   *prometheus.GaugeVec
	starts    *prometheus.HistogramVec
	failures  *prometheus.CounterVec
	stops     *prometheus.CounterVec
	adoptions *prometheus.CounterVec
	refusals  *prometheus.CounterVec
	evictions prometheus.Counter
	waiters   prometheus.Gauge
	up        prometheus.Gauge
	archived  *prometheus.CounterVec
	breaches  prometheus.Counter
	diskFree  *prometheus.GaugeVec // empty while nobody knows
}

// Outcomes of a start, as they stand in svc_engine_start_seconds.
const (
	outcomeReady  = "ready"
	outcomeFailed = "failed"
	outcomeCalled = "called_off"
)

// Outcomes of an adoption, as they stand in svc_engine_adoptions_total.
const (
	outcomeAdopted = "adopted"
	outcomeGone    = "gone"   // it did not run any more
	outcomeSilent  = "silent" // it ran and did not become ready
)

// Whose room a start found none in, as it stands in svc_engine_refusals_total.
const (
	roomOwner   = "owner"
	roomMachine = "machine"
)

// causeOrphan is the cause of a stop that no machine decides on.
const causeOrphan lifecycle.Cause = "orphan"

// phaseTotal stands beside the phases for the whole start.
const phaseTotal = "total"

// From a trivial process to the deadline of a start.
var startBuckets = []float64{0.005, 0.02, 0.05, 0.1, 0.15, 0.3, 0.6, 1, 2, 5, 10, 30, 60, 120}

// NewMetrics returns a set of collectors.
func NewMetrics() *Metrics {
	m := new(Metrics)
	m.engines = m.Gauges("svc_engines", "Engines that are not absent, by state.", "state")
	m.starts = m.Histograms("svc_engine_start_seconds",
		"How long starts took, by phase; total is all of them.", startBuckets, "driver", "phase", "outcome")
	m.failures = m.Counters("svc_engine_failures_total", "Engines that failed, when starting or later, by reason.", "reason")
	m.stops = m.Counters("svc_engine_stops_total", "Engines that were stopped or had ended, by cause.", "cause")
	m.adoptions = m.Counters("svc_engine_adoptions_total",
		"Engines that were looked for when the engine proxy started, by what was found.", "outcome")
	m.refusals = m.Counters("svc_engine_refusals_total",
		"Starts that were refused for want of room: the owner's or the machine's.", "room")
	m.evictions = m.Counter("svc_engine_evictions_total", "Idle engines that were stopped because another project needed the room.")
	m.waiters = m.Gauge("svc_engine_waiters", "Submissions that wait for an engine now.")
	m.up = m.Gauge("svc_engine_driver_up", "1 while the driver is available.")
	m.archived = m.Counters("svc_archive_jobs_total",
		"Jobs in the archive: those that came, and those that were deleted after their time.", "what")
	m.breaches = m.Counter("svc_engine_breaches_total", "Jobs that were ended because their engine reported what it can't have done.")
	m.diskFree = m.Gauges("svc_engine_disk_free_bytes", "Room that is left on the disk of the engine proxy's data directory.")
	m.up.Set(1)
	for _, s := range lifecycle.States {
		if s != engineproxy.StateAbsent {
			m.engines.WithLabelValues(string(s))
		}
	}
	metric.Begin(m.stops, append(lifecycle.StopCauses, causeOrphan)...)
	metric.Begin(m.refusals, roomOwner, roomMachine)
	metric.Begin(m.failures, failureCodes...)
	metric.Begin(m.archived, settle.Kept, settle.Deleted)
	metric.Begin(m.adoptions, outcomeAdopted, outcomeGone, outcomeSilent)
	return m
}

// transition counts a change of state.
func (m *Metrics) transition(from, to engineproxy.State, why lifecycle.Cause) {
	if from != engineproxy.StateAbsent {
		m.engines.WithLabelValues(string(from)).Dec()
	}
	if to != engineproxy.StateAbsent {
		m.engines.WithLabelValues(string(to)).Inc()
	}
	if to == engineproxy.StateStopping {
		m.stopped(why)
	}
	if why == lifecycle.CauseEvicted && to == engineproxy.StateStopping {
		m.evictions.Inc()
	}
}

func (m *Metrics) stopped(why lifecycle.Cause) { m.stops.WithLabelValues(string(why)).Inc() }

func (m *Metrics) failed(code string) { m.failures.WithLabelValues(code).Inc() }

func (m *Metrics) adopted(outcome string) { m.adoptions.WithLabelValues(outcome).Inc() }

func (m *Metrics) refused(err error) {
	if room, ok := errors.AsType[*engineproxy.RoomError](err); ok && room.Owner {
		m.refusals.WithLabelValues(roomOwner).Inc()
		return
	}
	m.refusals.WithLabelValues(roomMachine).Inc()
}

func (m *Metrics) driverUp(up bool) {
	if up {
		m.up.Set(1)
		return
	}
	m.up.Set(0)
}

// disk measures the room on a folder's disk.
func (m *Metrics) disk(dir string) {
	if free, err := disk.Free(dir); err == nil {
		m.diskFree.WithLabelValues().Set(float64(free))
	}
}

// leave takes an engine out of the count that the engine proxy leaves behind.
func (m *Metrics) leave(state engineproxy.State) {
	if state != engineproxy.StateAbsent {
		m.engines.WithLabelValues(string(state)).Dec()
	}
}

// reportPhases measures the phases of a start as they pass.
func (a *actor) reportPhases(was, now lifecycle.Status) {
	r := a.run
	if r == nil || r.began.IsZero() || r.number != now.Run || was.State == now.State && was.Phase == now.Phase {
		return
	}
	at := a.px.clock.Now()
	if was.Run == now.Run && was.State == engineproxy.StateStarting {
		if r.phases == nil {
			r.phases = make(map[lifecycle.Phase]time.Duration)
		}
		r.phases[was.Phase] += at.Sub(r.phaseAt)
	}
	r.phaseAt = at
	if now.State == engineproxy.StateStarting || was.State != engineproxy.StateStarting {
		return
	}
	outcome := outcomeReady
	switch {
	case now.State == engineproxy.StateReady:
	case a.machine.Last().Cause == lifecycle.CauseStartFailed:
		outcome = outcomeFailed
	default:
		outcome = outcomeCalled
	}
	name := a.px.opts.Driver.Name()
	for phase, took := range r.phases {
		a.px.metrics.starts.WithLabelValues(name, string(phase), outcome).Observe(took.Seconds())
	}
	a.px.metrics.starts.WithLabelValues(name, phaseTotal, outcome).Observe(at.Sub(r.began).Seconds())
}
