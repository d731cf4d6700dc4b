package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/caddymodule/gateway"
	"github.com/svc-games/svc/caddymodule/gateway/streams"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/sidecar"
)

// metrics are the gateway's collectors. There is one set per process, which
// every configuration registers with its own registry: Caddy makes a new
// registry at each reload, and a counter must not fall back to zero then.
// Every label has a handful of values; none comes from a client.
var metrics = newCollectors()

type collectors struct {
	requests     *prometheus.CounterVec
	submissions  *prometheus.CounterVec
	coldStarts   prometheus.Counter
	engineWait   prometheus.Histogram
	rateLimited  *prometheus.CounterVec
	rateFallback prometheus.Gauge
	keyCheck     prometheus.Histogram
	decision     prometheus.Histogram
	undecided    *prometheus.CounterVec
	eventStreams prometheus.Gauge
	fullStreams  *prometheus.CounterVec

	openConnections prometheus.GaugeFunc
	fullConnections *prometheus.CounterVec
}

// Reasons of a refusal that the body does not name, as they stand in
// svc_requests_total.
const (
	reasonStarting    = "engine_starting"
	reasonRate        = "request_rate"
	reasonStreams     = "event_streams"
	reasonForbidden   = "forbidden"
	reasonNotFound    = "not_found"
	reasonUnavailable = "unavailable"
	reasonOther       = "other"
)

// How long checks take: from a cache, from a local database, from elsewhere.
var checkBuckets = []float64{2e-6, 1e-5, 5e-5, 2e-4, 1e-3, 5e-3, 2e-2, 0.1, 0.5, 2}

func newCollectors() *collectors {
	return &collectors{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "svc_requests_total",
			Help: "Requests under /v1 that ended, by action, class of the status and reason of the refusal.",
		}, []string{"action", "class", "reason"}),
		submissions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "svc_submissions_total",
			Help: "Submissions that reached the ledger, by what became of them.",
		}, []string{"outcome"}),
		coldStarts: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "svc_cold_starts_total",
			Help: "Submissions answered with the 503 of an engine that is not ready yet.",
		}),
		engineWait: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "svc_engine_wait_seconds",
			Help:    "How long a submission that was not refused waited for its engine.",
			Buckets: []float64{1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5, 1, 2, 5, 10},
		}),
		rateLimited: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "svc_rate_limited_total",
			Help: "Requests refused for their rate: per key, and per address of failed keys.",
		}, []string{"kind"}),
		rateFallback: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "svc_rate_fallback",
			Help: "1 while Redis does not answer and request rates are limited per node.",
		}),
		keyCheck: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "svc_key_check_seconds", Help: "How long it took to find out who holds a key.", Buckets: checkBuckets,
		}),
		decision: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "svc_decision_seconds", Help: "How long it took to decide on access.", Buckets: checkBuckets,
		}),
		undecided: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "svc_decision_failures_total",
			Help: "Decisions that were not made, and whose requests were refused with 503, by the reason.",
		}, []string{"reason"}),
		eventStreams: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "svc_event_streams", Help: "Event streams that are open.",
		}),
		fullStreams: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "svc_event_stream_refusals_total",
			Help: "Event streams refused with 503 because as many were open as may, of the key or of the gateway.",
		}, []string{"room"}),
		openConnections: prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "svc_connections", Help: "Connections of clients that svc_connections counts, and that are open.",
		}, func() float64 { return float64(connections.Len()) }),
		fullConnections: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "svc_connection_refusals_total",
			Help: "Connections closed at once because as many were open as may, of the address or of the gateway.",
		}, []string{"room"}),
	}
}

func (c *collectors) all() []prometheus.Collector {
	return []prometheus.Collector{
		c.requests, c.submissions, c.coldStarts, c.engineWait, c.rateLimited, c.rateFallback, c.keyCheck, c.decision, c.undecided, c.eventStreams,
		c.fullStreams, c.openConnections, c.fullConnections,
	}
}

// ended counts a request that was answered with status, or with what is made of err.
// q is nil when the request was refused before its key was known.
func (c *collectors) ended(q *gateway.Request, status int, err error) {
	action, reason := policy.Action("none"), ""
	if q != nil && q.Route.Action != "" {
		action = q.Route.Action
	}
	if err != nil {
		answer := answerTo(err)
		status, reason = answer.Status, reasonOf(answer)
		if over := overRate(answer); over != nil {
			c.rateLimited.WithLabelValues(string(over.Kind)).Inc()
		}
	}
	c.requests.WithLabelValues(string(action), statusClass(status), reason).Inc()
}

// statusClass is "2xx" and so on, or "none" when the client left before it was
// answered.
func statusClass(status int) string {
	if status < 100 || status > 599 {
		return "none"
	}
	return [...]string{"1xx", "2xx", "3xx", "4xx", "5xx"}[status/100-1]
}

// reasonOf names the reason of a refusal, one of a fixed few: a policy may
// give reasons of its own, which count as other.
func reasonOf(err *api.Error) string {
	switch err.Reason {
	case api.ReasonMissing, api.ReasonInvalid, api.ReasonDisabled, api.ReasonRevoked, api.ReasonLimitExceeded:
		return err.Reason
	}
	switch {
	case err.Starting:
		return reasonStarting
	case noRoomFor(err) != nil:
		return reasonStreams
	case overRate(err) != nil:
		return reasonRate
	case err.Status == http.StatusForbidden:
		return reasonForbidden
	case err.Status == http.StatusNotFound:
		return reasonNotFound
	case err.Status == http.StatusServiceUnavailable:
		return reasonUnavailable
	}
	return reasonOther
}

// refusedStream counts err if it is the refusal of an event stream for which there
// was no room.
func (c *collectors) refusedStream(err error) {
	if full := noRoomFor(err); full != nil {
		c.fullStreams.WithLabelValues(string(full.Room)).Inc()
	}
}

// noRoomFor returns what an event stream found no room in, nil when err is something
// else.
func noRoomFor(err error) (full *streams.FullError) {
	errors.As(err, &full)
	return full
}

// overRate returns the rate that a request went over, nil when err is something else.
func overRate(err error) (over *gateway.RateError) {
	errors.As(err, &over)
	return over
}

// submitted counts what became of a submission.
func (c *collectors) submitted(o gateway.Outcome) { c.submissions.WithLabelValues(string(o)).Inc() }

// observe records the time since begin.
func observe(h prometheus.Observer, begin time.Time) { h.Observe(time.Since(begin).Seconds()) }

// statusWriter notes the status of a response. It leaves everything else,
// flushing included, to what it wraps.
type statusWriter struct {
	caddyhttp.ResponseWriterWrapper
	status int // 0 until there is a final one
}

func (s *statusWriter) WriteHeader(status int) {
	if s.status == 0 && status >= 200 {
		s.status = status
	}
	s.ResponseWriterWrapper.WriteHeader(status)
}

func (s *statusWriter) Write(p []byte) (int, error) {
	s.implied()
	return s.ResponseWriterWrapper.Write(p)
}

// ReadFrom lets a file go out without a copy in between.
func (s *statusWriter) ReadFrom(r io.Reader) (int64, error) {
	s.implied()
	return s.ResponseWriterWrapper.ReadFrom(r)
}

func (s *statusWriter) implied() {
	if s.status == 0 {
		s.status = http.StatusOK
	}
}

// Reasons why there was no decision, and the request was refused with 503, as
// they stand in svc_decision_failures_total.
const (
	undecidedUndefined   = "undefined"   // the policy has no answer
	undecidedMalformed   = "malformed"   // its answer is no decision
	undecidedEvaluation  = "evaluation"  // it failed
	undecidedSlow        = "slow"        // it, or the facts, took too long
	undecidedUnrecorded  = "unrecorded"  // a required decision log can't take it
	undecidedUnreachable = "unreachable" // the sidecar gave no answer
	undecidedFacts       = "facts"       // the facts could not be gathered
)

// undecidedReasons is all of them.
var undecidedReasons = []string{
	undecidedUndefined, undecidedMalformed, undecidedEvaluation, undecidedSlow, undecidedUnrecorded, undecidedUnreachable, undecidedFacts,
}

// whyUndecided returns the reason of an error.
func whyUndecided(err error) string {
	switch {
	case errors.Is(err, sidecar.ErrUnreachable):
		return undecidedUnreachable
	case errors.Is(err, decisionlog.ErrNotRecorded):
		return undecidedUnrecorded
	case errors.Is(err, policy.ErrUndefined):
		return undecidedUndefined
	case errors.Is(err, policy.ErrMalformed):
		return undecidedMalformed
	case errors.Is(err, context.DeadlineExceeded):
		return undecidedSlow
	case errors.Is(err, policy.ErrNoDecision):
		return undecidedEvaluation
	}
	return undecidedFacts
}

// measured measures how long decisions take, and counts those that were not
// made. One whose client left is not counted: no one was refused.
type measured struct{ sidecar.Service }

func (m measured) Decide(
	ctx context.Context, keyID, projectID string, action policy.Action,
) (policy.Decision, error) {
	defer observe(metrics.decision, time.Now())
	d, err := m.Service.Decide(ctx, keyID, projectID, action)
	countUndecided(ctx, err)
	return d, err
}

func (m measured) Authenticate(ctx context.Context, hash api.KeyHash) (sidecar.Identity, error) {
	defer observe(metrics.keyCheck, time.Now())
	identity, err := m.Service.Authenticate(ctx, hash)
	if !errors.Is(err, sidecar.ErrUnknownKey) {
		countUndecided(ctx, err)
	}
	return identity, err
}

func countUndecided(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		metrics.undecided.WithLabelValues(whyUndecided(err)).Inc()
	}
}

// RegisterMetrics adds collectors to the registry of ctx's configuration, where they
// are not there already: Caddy makes a new registry at each reload, and counters that
// must not fall back to zero then belong to the process.
func RegisterMetrics(ctx caddy.Context, collectors ...prometheus.Collector) error {
	registry := ctx.GetMetricsRegistry()
	if registry == nil {
		return nil
	}
	for _, one := range collectors {
		var there prometheus.AlreadyRegisteredError
		if err := registry.Register(one); err != nil && !errors.As(err, &there) {
			return fmt.Errorf("registering metrics: %w", err)
		}
	}
	return nil
}

// Interface guards
var (
	_ http.ResponseWriter = (*statusWriter)(nil)
	_ io.ReaderFrom       = (*statusWriter)(nil)
)
