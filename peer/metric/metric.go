// Package metric makes metrics, each in one line.
package metric

import "github.com/prometheus/client_golang/prometheus"

// Set knows the metrics that it made. It is for embedding; its zero value has none.
type Set struct{ made []prometheus.Collector }

// Collectors returns all of them, to be registered.
func (s *Set) Collectors() []prometheus.Collector { return s.made }

func add[Metric prometheus.Collector](s *Set, made Metric) Metric {
	s.made = append(s.made, made)
	return made
}

// Counter makes a counter.
func (s *Set) Counter(name, help string) prometheus.Counter {
	return add(s, prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help}))
}

// Counters makes a counter for each combination of the labels' values.
func (s *Set) Counters(name, help string, labels ...string) *prometheus.CounterVec {
	return add(s, prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels))
}

// Gauge makes a gauge.
func (s *Set) Gauge(name, help string) prometheus.Gauge {
	return add(s, prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help}))
}

// Gauges makes a gauge for each combination of the labels' values; without labels, one
// that is not there before it is set.
func (s *Set) Gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	return add(s, prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels))
}

// Histogram makes a histogram. buckets are upper bounds.
func (s *Set) Histogram(name, help string, buckets []float64) prometheus.Histogram {
	return add(s, prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}))
}

// Histograms makes a histogram for each combination of the labels' values. buckets are
// upper bounds.
func (s *Set) Histograms(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return add(s, prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels))
}

// Begin has metrics of one label be there from the start, with these of its values: a
// counter that begins with its first event has not increased by it.
func Begin[Metric any, Value ~string](of interface{ WithLabelValues(...string) Metric }, values ...Value) {
	for _, value := range values {
		of.WithLabelValues(string(value))
	}
}
