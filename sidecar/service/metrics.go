package service

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/svc-games/svc/peer/disk"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/store"
)

// Metrics say how the store does. They are asked for when they are collected, and outlive a
// Service: one set serves a process.
type Metrics struct {
	open atomic.Pointer[Service]
	jobs *ledger.Metrics
}

// NewMetrics returns metrics of no service yet.
func NewMetrics() *Metrics { return &Metrics{jobs: ledger.NewMetrics()} }

// ofJobs are those of the ledger, nil where nobody collects any.
func (m *Metrics) ofJobs() *ledger.Metrics {
	if m == nil {
		return nil
	}
	return m.jobs
}

// Collectors returns all of them, to be registered.
func (m *Metrics) Collectors() []prometheus.Collector {
	return append(m.jobs.Collectors(), m)
}

var (
	storeUp  = prometheus.NewDesc("svc_store_up", "1 while the store can be written to.", nil, nil)
	storeIn  = prometheus.NewDesc("svc_store_write_seconds", "How long the write took by which svc_store_up was found out.", nil, nil)
	openJobs = prometheus.NewDesc("svc_jobs", "Jobs that are admitted and have not ended, by status.", []string{"status"}, nil)
	diskFree = prometheus.NewDesc("svc_disk_free_bytes", "Room that is left on the disk of the sidecar's data directory.", nil, nil)
	faults   = prometheus.NewDesc("svc_store_errors_total", "Reads and writes that failed by a fault of the database.", []string{"use", "reason"}, nil)
	conns    = prometheus.NewDesc("svc_store_connections", "Connections that the store may have.", []string{"use", "state"}, nil)
	clockAt  = prometheus.NewDesc("svc_clock_timestamp_seconds", "The time by which days, months and deadlines go.", nil, nil)
	pushLost = prometheus.NewDesc("svc_push_lost", "1 while Redis does not push the changes of other sidecars, so that they are polled.", nil, nil)
)

// Describe implements prometheus.Collector.
func (m *Metrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{storeUp, storeIn, openJobs, diskFree, faults, conns, clockAt, pushLost} {
		to <- d
	}
}

// Collect implements prometheus.Collector. What can't be found out is left out.
func (m *Metrics) Collect(to chan<- prometheus.Metric) {
	s := m.open.Load()
	if s == nil {
		return
	}
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
	defer cancel()
	began := time.Now()
	gauge(storeUp, oneIf(s.tryWrite(ctx) == nil))
	gauge(storeIn, time.Since(began).Seconds())
	if jobs, err := s.openJobs(ctx); err == nil {
		for status, n := range jobs {
			gauge(openJobs, float64(n), status)
		}
	}
	if room, err := disk.Free(s.dir); err == nil {
		gauge(diskFree, float64(room))
	}
	if at, err := s.clock(ctx); err == nil {
		gauge(clockAt, float64(at.UnixMilli())/1000)
	}
	gauge(pushLost, oneIf(s.Push() == "lost"))
	collectStore(s.store.Stats(), gauge, to)
}

// collectStore sends what the store says of itself.
func collectStore(stats store.Stats, gauge func(*prometheus.Desc, float64, ...string), to chan<- prometheus.Metric) {
	for use, of := range map[string]struct {
		faults map[store.Fault]int64
		conns  store.Connections
	}{"read": {stats.Reads, stats.Readers}, "write": {stats.Writes, stats.Writers}} {
		for reason, n := range of.faults {
			to <- prometheus.MustNewConstMetric(faults, prometheus.CounterValue, float64(n), use, string(reason))
		}
		gauge(conns, float64(of.conns.Used), use, "used")
		gauge(conns, float64(of.conns.Most-of.conns.Used), use, "idle")
	}
}

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// openJobs counts the jobs that have not ended.
func (s *Service) openJobs(ctx context.Context) (map[string]int64, error) {
	jobs := map[string]int64{"queued": 0, "running": 0}
	err := s.store.View(store.Unhurried(ctx), func(r *store.Reader) error {
		return r.Each(func(scan store.Scan) error {
			var status string
			var n int64
			err := scan(&status, &n)
			jobs[status] = n
			return err
		}, "SELECT status, count(*) FROM jobs WHERE resolved_at IS NULL GROUP BY status")
	})
	return jobs, err
}
