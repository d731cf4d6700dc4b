package ledger

import (
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/peer/metric"
)

// Metrics count what becomes of jobs, as far as this ledger wrote it. They may outlive a
// Ledger: counters must not fall back to zero. Every label has a handful of values.
type Metrics struct {
	metric.Set
	ended      *prometheus.CounterVec
	took       *prometheus.HistogramVec
	operations *prometheus.HistogramVec
	charged    *prometheus.CounterVec
	unadmitted prometheus.Counter
}

// Operations, as they stand in svc_ledger_seconds.
const (
	opReserve = "reserve"
	opCommit  = "commit"
	opRelease = "release"
	opFeed    = "feed"
)

// What TIK is charged for, as it stands in svc_tik_charged_total.
const (
	forSteps = "steps" // of engines
	forCalls = "calls" // to models
	forGames = "games" // that are played
)

// outcomes are how a job can end.
var outcomes = []api.JobStatus{api.JobCompleted, api.JobFailed, api.JobCancelled}

// failures are why one can fail. An engine may give another reason.
var failures = []api.FailureCode{
	api.FailureTIKExhausted, api.FailureGeneration, api.FailureEngineRestarted, api.FailureEngineLost, api.FailureTimeout, api.FailureInternal,
}

const otherFailure = "other"

// NewMetrics returns a set of collectors.
func NewMetrics() *Metrics {
	m := new(Metrics)
	m.ended = m.Counters("svc_jobs_ended_total", "Jobs that ended, by status and, of those that failed, the reason.", "status", "failure")
	m.took = m.Histograms("svc_job_seconds", "How long jobs took from their submission to their end.",
		[]float64{1, 5, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200}, "status")
	m.operations = m.Histograms("svc_ledger_seconds",
		"How long the ledger took over an operation, the wait for the store included.",
		[]float64{5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1, 0.2, 0.5, 1, 2, 5}, "operation")
	m.charged = m.Counters("svc_tik_charged_total", "TIK that was charged, by what for.", "for")
	m.unadmitted = m.Counter("svc_unadmitted_jobs_total", "Reports of engines on jobs that were not admitted.")
	for _, status := range outcomes {
		m.took.WithLabelValues(string(status))
		if status != api.JobFailed {
			m.ended.WithLabelValues(string(status), "")
		}
	}
	for _, code := range failures {
		m.ended.WithLabelValues(string(api.JobFailed), string(code))
	}
	metric.Begin(m.operations, opReserve, opCommit, opRelease, opFeed)
	metric.Begin(m.charged, forSteps, forCalls, forGames)
	return m
}

// ending is a job that ended.
type ending struct {
	jobID   string
	status  api.JobStatus
	failure string
	took    time.Duration
}

func endingOf(job *jobRow, record contract.JobRecord, now time.Time) ending {
	e := ending{jobID: job.id, status: record.Status, took: max(0, now.Sub(time.UnixMilli(job.createdAt)))}
	if record.Status == api.JobFailed {
		e.failure = otherFailure
		if record.Failure != nil && slices.Contains(failures, record.Failure.Code) {
			e.failure = string(record.Failure.Code)
		}
	}
	return e
}

func (m *Metrics) end(e ending) {
	m.ended.WithLabelValues(string(e.status), e.failure).Inc()
	m.took.WithLabelValues(string(e.status)).Observe(e.took.Seconds())
}

// charge counts what was charged, for steps, calls or games.
func (m *Metrics) charge(what string, cost api.TIK) {
	m.charged.WithLabelValues(what).Add(float64(cost) / api.MicroPerTIK)
}

// timed observes an operation that is over.
func (m *Metrics) timed(operation string, begun time.Time) {
	m.operations.WithLabelValues(operation).Observe(time.Since(begun).Seconds())
}
