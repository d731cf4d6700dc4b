package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/caddymodule/gateway"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// Quota admits submissions exactly: it reserves before the engine sees the
// job, commits on the engine's 200, and releases when the engine provably did
// not take it. A client that leaves changes nothing. Other requests pass.
//
// It refuses with 429 (a limit), 503 (no admission possible), 504 (the
// engine's answer was lost and it can't be asked).
type Quota struct {
	// How long the engine may take to answer a submission. Default: 30s.
	Timeout caddy.Duration `json:"timeout,omitempty"`

	// How old a reservation must be, of which no one knows what became, before
	// its engine is asked: it counts until then. More than timeout. Default: 60s,
	// or twice the timeout if that is more.
	Deadline caddy.Duration `json:"deadline,omitempty"`

	app    *App
	logger *zap.Logger
}

// CaddyModule returns the Caddy module information.
func (Quota) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.svc_quota", New: func() caddy.Module { return new(Quota) }}
}

// Provision sets defaults.
func (q *Quota) Provision(ctx caddy.Context) (err error) {
	if q.Timeout == 0 {
		q.Timeout = caddy.Duration(30 * time.Second)
	}
	if q.Deadline == 0 {
		q.Deadline = max(caddy.Duration(60*time.Second), 2*q.Timeout)
	}
	q.logger = ctx.Logger()
	if q.app, err = appOf(ctx); err != nil {
		return err
	}
	return q.app.addStep(ctx, stepQuota)
}

// Validate checks the options.
func (q *Quota) Validate() error {
	if q.Timeout < 0 {
		return fmt.Errorf("timeout must not be negative, is %s", time.Duration(q.Timeout))
	}
	if q.Deadline <= q.Timeout {
		return fmt.Errorf("deadline is %s and must be more than timeout, %s: "+
			"a submission would be given up before the engine answers", time.Duration(q.Deadline), time.Duration(q.Timeout))
	}
	return nil
}

func (q *Quota) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	req, shared, err := known(q.app, r, stepQuota)
	if err != nil {
		return err
	}
	if req.Route.Action != policy.ActionGenerate {
		return next.ServeHTTP(w, r)
	}
	if req.Lease == nil { // a reservation could only be fenced, which starts an engine
		return comesBefore(stepEngine, stepQuota)
	}
	if req.Admitted != "" { // a second job of one submission, of which the client would hear nothing
		return caddyhttp.Error(http.StatusInternalServerError, errors.New("svc_quota stands twice in the route"))
	}
	submitter := gateway.Submitter{
		Sidecar:    shared.Sidecar,
		Engines:    shared.Engines,
		RetryAfter: time.Duration(q.app.RetryAfter),
		Deadline:   time.Duration(q.Deadline),
		Now:        time.Now,
	}
	jobID, admission, refused := submitter.Reserve(r.Context(), req)
	if refused != nil {
		metrics.submissions.WithLabelValues(outcomeRefused).Inc()
		return refuse(refused)
	}
	if admission.Replayed != nil {
		req.Replay = admission.Replayed
		return writeReplay(w, req.Replay)
	}
	req.Admitted = jobID
	answer := q.forward(r, req, jobID, admission.SessionID, next, func(a gateway.Answer) {
		refused = submitter.Settle(r.Context(), req, jobID, a)
		metrics.submissions.WithLabelValues(outcomeOf(a, refused)).Inc()
	})
	if refused != nil {
		return refuse(refused)
	}
	if c := q.logger.Check(zapcore.DebugLevel, "submission accepted"); c != nil {
		c.Write(zap.String("job", jobID), zap.Int("engine_status", answer.Status))
	}
	shared.Routes.Record(jobID, req.ProjectID)
	gateway.SetRateLimit(w.Header(), admission.Limits, admission.Usage, time.Now())
	return writeJSON(w, http.StatusOK, api.Submission{
		JobID:     jobID,
		ProjectID: req.ProjectID,
		Status:    api.JobQueued,
		SessionID: admission.SessionID,
	})
}

// writeReplay answers a submission that was made before, from the job's row.
func writeReplay(w http.ResponseWriter, job *sidecar.Job) error {
	w.Header().Set("Idempotent-Replayed", "true")
	return writeJSON(w, http.StatusOK, api.Submission{
		JobID:     job.JobID,
		ProjectID: job.ProjectID,
		Status:    job.Status,
		SessionID: job.SessionID,
	})
}

// forward sends the submission to the engine, detached from the client's
// connection, and calls settle exactly once with what came back, even when a
// handler behind it panics. reverse_proxy panics with http.ErrAbortHandler
// when the engine breaks off in the middle of its answer: that is a lost
// answer, and nothing has gone to the client yet.
func (q *Quota) forward(
	r *http.Request, req *gateway.Request, jobID, sessionID string, next caddyhttp.Handler, settle func(gateway.Answer),
) (answer gateway.Answer) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), time.Duration(q.Timeout))
	defer cancel()
	defer func() {
		p := recover()
		if p != nil {
			answer = gateway.Answer{}
		}
		settle(answer)
		if p != nil && p != http.ErrAbortHandler {
			panic(p)
		}
	}()
	r = r.Clone(ctx)
	gateway.ReplaceBody(r, req.Body)
	// The body goes out only after the engine behind the endpoint has taken
	// the instance's token: another one never sees it.
	r.Header.Set("Expect", "100-continue")
	r.Header.Set(contract.HeaderJobID, jobID)
	r.Header.Set(contract.HeaderSessionID, sessionID)

	w := newAnswerWriter()
	err := nextOf(next)(w, r)
	if errors.Is(err, gateway.ErrNotSent) {
		return gateway.Answer{NotSent: true}
	}
	if err != nil || w.overflow {
		if c := q.logger.Check(zapcore.WarnLevel, "engine answer lost"); c != nil {
			c.Write(zap.String("job", jobID), zap.Error(err), zap.Bool("overflow", w.overflow))
		}
		return gateway.Answer{}
	}
	if instance := w.header.Get(contract.HeaderInstance); instance != req.Lease.InstanceID {
		// Whatever answered is not the engine that was asked.
		if c := q.logger.Check(zapcore.WarnLevel, "another engine answered"); c != nil {
			c.Write(zap.String("job", jobID), zap.String("asked", req.Lease.InstanceID), zap.String("answered", instance))
		}
		return gateway.Answer{}
	}
	return w.answer()
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Quota)(nil)
	_ caddy.Validator             = (*Quota)(nil)
	_ caddyhttp.MiddlewareHandler = (*Quota)(nil)
)
