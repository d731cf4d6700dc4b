package peer

import (
	"crypto/tls"
	"crypto/x509"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

var certificateEnds = prometheus.NewDesc("svc_certificate_expires_timestamp_seconds",
	"When the first certificate ends that this part shows to others; 0 while its files can't be used.", nil, nil)

// Certificates measure when the first of a process's certificates ends, by what its files
// hold when they are asked. One set serves a process; its zero value is of none, and says
// nothing. It is safe for concurrent use.
type Certificates struct {
	mu    sync.Mutex // guards files
	files map[string]TLS
}

// Use has the certificate of files counted, in place of those that were used for the same
// before; for what needs none, files is the zero value.
func (c *Certificates) Use(what string, files TLS) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if files == (TLS{}) {
		delete(c.files, what)
		return
	}
	if c.files == nil {
		c.files = make(map[string]TLS)
	}
	c.files[what] = files
}

// Describe implements prometheus.Collector.
func (c *Certificates) Describe(to chan<- *prometheus.Desc) { to <- certificateEnds }

// Collect implements prometheus.Collector.
func (c *Certificates) Collect(to chan<- prometheus.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.files) == 0 {
		return
	}
	var first time.Time
	for _, files := range c.files {
		if end := files.ends(); first.IsZero() || end.Before(first) {
			first = end
		}
	}
	to <- prometheus.MustNewConstMetric(certificateEnds, prometheus.GaugeValue, float64(first.Unix()))
}

// ends is when the certificate, or one that it comes from, ends; 1970 where that can't be
// read.
func (t TLS) ends() time.Time {
	pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
	if err != nil {
		return time.Unix(0, 0)
	}
	var first time.Time
	for _, raw := range pair.Certificate {
		cert, err := x509.ParseCertificate(raw)
		if err != nil {
			return time.Unix(0, 0)
		}
		if first.IsZero() || cert.NotAfter.Before(first) {
			first = cert.NotAfter
		}
	}
	return first
}
