package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/caddymodule/gateway"
	"github.com/svc-games/svc/caddymodule/gateway/streams"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/metric"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/sidecar"
)

// metrics are the gateway's collectors. There is one set per process, which
// every configuration registers with its own registry: Caddy makes a new
// registry at each reload, and a counter must not fall back to zero then.
// Every label has a handful of values; none comes from a client.
var (
	registry     = prometheus.NewRegistry()
	metrics      = newCollectors(registry)
	certificates = newCertificates(registry)
)

func newCertificates(in *prometheus.Registry) *peer.Certificates {
	c := new(peer.Certificates)
	in.MustRegister(c)
	return c
}

// UseCertificate has the certificate measured that the gateway shows to a part, in place of
// the one before; the zero value is for a part that asks for none.
func UseCertificate(part string, files peer.TLS) { certificates.Use(part, files) }

type collectors struct {
	metric.Set
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

	fullConnections *prometheus.CounterVec
}

// Reasons of a refusal that the body does not name, as they stand in
// svc_requests_total.
const (
	reasonStarting    = "engine_starting"
	reasonFailed      = "engine_failed"
	reasonRate        = "request_rate"
	reasonStreams     = "event_streams"
	reasonForbidden   = "forbidden"
	reasonNotFound    = "not_found"
	reasonUnavailable = "unavailable"
	reasonOther       = "other"
)

// How long checks take: from a cache, from a local database, from elsewhere.
var checkBuckets = []float64{2e-6, 1e-5, 5e-5, 2e-4, 1e-3, 5e-3, 2e-2, 0.1, 0.5, 2}

func newCollectors(in *prometheus.Registry) *collectors {
	in.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "svc_connections", Help: "Connections of clients that svc_connections counts, and that are open.",
	}, func() float64 { return float64(connections.Len()) }))
	c := new(collectors)
	c.requests = c.Counters("svc_requests_total",
		"Requests under /v1 that ended, by action, class of the status and reason of the refusal.", "action", "class", "reason")
	c.submissions = c.Counters("svc_submissions_total", "Submissions that reached the ledger, by what became of them.", "outcome")
	c.coldStarts = c.Counter("svc_cold_starts_total", "Submissions answered with the 503 of an engine that is not ready yet.")
	c.engineWait = c.Histogram("svc_engine_wait_seconds",
		"How long a submission that was not refused waited for its engine.", []float64{1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5, 1, 2, 5, 10})
	c.rateLimited = c.Counters("svc_rate_limited_total", "Requests refused for their rate: per key, and per address of failed keys.", "kind")
	c.rateFallback = c.Gauge("svc_rate_fallback", "1 while Redis does not answer and request rates are limited per node.")
	c.keyCheck = c.Histogram("svc_key_check_seconds", "How long it took to find out who holds a key.", checkBuckets)
	c.decision = c.Histogram("svc_decision_seconds", "How long it took to decide on access.", checkBuckets)
	c.undecided = c.Counters("svc_decision_failures_total",
		"Decisions that were not made, and whose requests were refused with 503, by the reason.", "reason")
	c.eventStreams = c.Gauge("svc_event_streams", "Event streams that are open.")
	c.fullStreams = c.Counters("svc_event_stream_refusals_total",
		"Event streams refused with 503 because as many were open as may, of the key or of the gateway.", "room")
	c.fullConnections = c.Counters("svc_connection_refusals_total",
		"Connections closed at once because as many were open as may, of the address or of the gateway.", "room")
	metric.Begin(c.submissions, gateway.Outcomes...)
	metric.Begin(c.undecided, undecidedFacts)
	for _, one := range undecided {
		metric.Begin(c.undecided, one.reason)
	}
	metric.Begin(c.fullStreams, streams.RoomKey, streams.RoomGateway)
	metric.Begin(c.fullConnections, gateway.RoomAll, gateway.RoomAddress)
	in.MustRegister(c.Collectors()...)
	return c
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
func reasonOf(err *answers.Error) string {
	switch err.Reason {
	case api.ReasonMissing, api.ReasonInvalid, api.ReasonDisabled, api.ReasonRevoked, api.ReasonLimitExceeded:
		return err.Reason
	}
	switch {
	case err.Starting:
		if failed, ok := errors.AsType[*engineproxy.FailedError](err.Cause); ok && failed.Fatal {
			return reasonFailed // the client waits for what won't come by itself
		}
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

// streamsChanged counts the event streams that are open.
func (c *collectors) streamsChanged(by int) { c.eventStreams.Add(float64(by)) }

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

// undecided are the reasons why there was no decision, and the request was refused with
// 503, as they stand in svc_decision_failures_total: the first whose error it is.
var undecided = []struct {
	reason string
	err    error
}{
	{"slow", sidecar.ErrSlow},               // in another process
	{"unreachable", sidecar.ErrUnreachable}, // the sidecar gave no answer
	{"unrecorded", decisionlog.ErrNotRecorded},
	{"undefined", policy.ErrUndefined},
	{"malformed", policy.ErrMalformed},
	{"slow", context.DeadlineExceeded}, // the policy, or the facts
	{"evaluation", policy.ErrNoDecision},
}

// undecidedFacts is the reason when the facts could not be gathered.
const undecidedFacts = "facts"

// whyUndecided returns the reason of an error.
func whyUndecided(err error) string {
	for _, one := range undecided {
		if errors.Is(err, one.err) {
			return one.reason
		}
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

func (m measured) Authenticate(ctx context.Context, hash mint.KeyHash) (sidecar.Identity, error) {
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
