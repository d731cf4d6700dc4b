package egress

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api/contract"
)

// bodyTimeout is how long an engine may take to send its request.
const bodyTimeout = 30 * time.Second

// call is a request of an engine, read and made anew: what is not in here does
// not leave the machine.
type call struct {
	model string
	of    *offered
	route *route
	body  []byte                    // for the provider
	bare  func() ([]byte, *refusal) // the body without stream_options; nil: it has none
	limit []contract.Unit           // what it may cost at most
	live  bool                      // the answer is a stream
	// relay passes the provider's answer on and says what it cost.
	relay relay
}

// relay passes the body of a 200 on to the engine, and returns what the call
// cost; nil, its limit, when the answer is not complete. A refusal is returned
// only while nothing was sent.
type relay func(w http.ResponseWriter, answer *http.Response) ([]contract.Unit, *refusal, error)

// never is longer than a call: its own time ends before.
const never = 24 * time.Hour

// silence is how long nothing may be written at first, and then for how long the
// answer may stand still. One that comes whole may come late.
func (c *call) silence() (first, idle time.Duration) {
	if c.live {
		return c.of.first, c.of.stall
	}
	return never, never
}

// serve takes one call through: read, granted, noted, sent, counted, charged.
func (a *account) serve(w http.ResponseWriter, r *http.Request, to *route) {
	began := time.Now()
	log := a.log.With(zap.String("use", string(to.use)))
	refused, err := a.admitted(w, r, to, log)
	a.egress.opts.Metrics.ended(to.use, refused, err)
	if refused != nil {
		if refused.cause != nil {
			log.Warn("call was refused", zap.String("reason", refused.reason), zap.Error(refused.cause))
		}
		refused.writeTo(w)
	}
	if c := log.Check(zap.DebugLevel, "call was served"); c != nil {
		c.Write(zap.Duration("took", time.Since(began)))
	}
}

// admitted returns why a call was refused, or with no refusal why its answer
// is not whole.
func (a *account) admitted(w http.ResponseWriter, r *http.Request, to *route, log *zap.Logger) (*refusal, error) {
	select {
	case a.slots <- struct{}{}:
		defer func() { <-a.slots }()
	default:
		busy := refuse(http.StatusTooManyRequests, "busy", "The engine has %d calls under way already.", cap(a.slots))
		busy.retryAfter = time.Second
		return busy, nil
	}
	c, refused := a.egress.read(w, r, to)
	if refused != nil {
		return refused, nil
	}
	jobID, refused := a.grant(r.Context())
	if refused != nil {
		return refused, nil
	}
	ctx, active, err := a.inFlight.enter(r.Context(), w, jobID)
	if err != nil {
		return noRunningJob(), nil
	}
	id, err := a.begin(jobID, c.limit)
	if err != nil {
		a.inFlight.leave(active)
		return unavailable(err), nil
	}
	return a.send(w, r.WithContext(ctx), c, id, active, log.With(zap.String("job", jobID), zap.Int64("call", id), zap.String("model", c.model)))
}

// send sends a call that is noted. Whatever happens it is finished and left: at its
// limit unless a complete answer, or the certainty that there is none to pay
// for, says otherwise.
func (a *account) send(w http.ResponseWriter, r *http.Request, c *call, id int64, p *activeCall, log *zap.Logger) (*refusal, error) {
	var cost []contract.Unit // nil: the limit
	out := &heldEnd{ResponseWriter: w}
	done := a.egress.opts.Metrics.sent(c.route.use)
	defer func() {
		done()
		a.egress.opts.Metrics.used(cost, c.limit)
		a.finish(id, cost)
		a.inFlight.leave(p) // before the engine reads the rest, which it may not
		out.release()
	}()
	ctx, cancel := context.WithTimeout(r.Context(), a.egress.now().Timeout)
	defer cancel()
	answer, free, refused := a.egress.provider.send(ctx, c)
	if free {
		cost = []contract.Unit{}
	}
	if refused != nil {
		return refused.paid(cost), nil
	}
	defer answer.Body.Close()
	cost, refused, err := c.relay(out, answer)
	if err != nil && r.Context().Err() == nil {
		log.Warn("passing on an answer failed", zap.Error(err))
	}
	return refused.paid(cost), err
}

// read reads an engine's request.
func (e *Egress) read(w http.ResponseWriter, r *http.Request, to *route) (*call, *refusal) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, refuse(http.StatusUnsupportedMediaType, "invalid_request", "The Content-Type must be application/json.")
	}
	deadline := http.NewResponseController(w)
	if err := deadline.SetReadDeadline(time.Now().Add(bodyTimeout)); err != nil {
		return nil, unavailable(err)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, e.now().MaxBody))
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, refuse(http.StatusRequestEntityTooLarge, "too_large", "The request is larger than %d bytes.", tooLarge.Limit)
	}
	if err != nil {
		return nil, invalid("The request broke off.")
	}
	if err := deadline.SetReadDeadline(time.Time{}); err != nil {
		return nil, unavailable(err)
	}
	c, refused := to.read(e, body)
	if refused != nil {
		return nil, refused
	}
	c.route = to
	if c.of == nil {
		c.of, refused = e.now().catalog.find(c.model, to.use, "")
	}
	return c, refused
}

// heldEnd keeps the last bytes of an answer back until the call is charged: an
// engine that has them and asks at once finds a balance that knows of it.
type heldEnd struct {
	http.ResponseWriter
	end []byte
}

func (h *heldEnd) hold(p []byte) { h.end = p }

func (h *heldEnd) release() {
	if len(h.end) > 0 {
		_, _ = h.Write(h.end) // the engine has left
	}
}

// Unwrap lets http.ResponseController reach Flush.
func (h *heldEnd) Unwrap() http.ResponseWriter { return h.ResponseWriter }
