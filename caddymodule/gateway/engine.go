package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/caddymodule/gateway/joblog"
	"github.com/svc-games/svc/caddymodule/gateway/streams"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/span"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// cancelTimeout bounds how long DELETE waits for the job's end to be settled.
const cancelTimeout = 10 * time.Second

// ErrNotSent is returned, wrapped, by a Next that could not connect: the engine
// saw nothing of the request.
var ErrNotSent = errors.New("connecting to the engine failed")

// HeaderEngineState tells the client of a submission that was accepted, or
// answered 503, how far its engine is: a state of the engine proxy, and while it
// starts the phase.
const HeaderEngineState = "Svc-Engine-State"

// ErrCancelling is the cause, wrapped, of the 503 of a cancellation that the engine has,
// and that has not ended the job yet.
var ErrCancelling = errors.New("the job is being cancelled")

// Next is the rest of a request's way, which writes the answer: behind a Locator that
// is the engine that q.Lease names.
type Next func(w http.ResponseWriter, r *http.Request) error

// Locator finds the engine of a request, or answers without one. Only a
// submission ever starts an engine.
type Locator struct {
	Sidecar      sidecar.Service
	Engines      engineproxy.Engines
	Models       *Models
	Hold         time.Duration // how long a submission waits for a starting engine
	RetryAfter   time.Duration // of a cold start
	Now          func() time.Time
	Request      func(context.Context) peer.Request // what the policy may know of a client's request; nil: nothing
	Streams      *streams.Registry                  // the open event streams
	Jobs         *joblog.Jobs                       // whose events they read
	Waited       func(time.Duration)                // told how long a submission waited for its engine; nil: no one is
	Gate         streams.Gate                       // pauses them while revocations can't be seen; nil: never
	Ended        func(jobID string)                 // told before a client is that a job ended; nil: no one is
	StreamBroken func(jobID string, err error)      // told why a stream ended that had begun; nil: no one is
	// Stall returns how long the client of a request may take nothing of its stream, 0 for
	// ever. false: the server bounds the answer otherwise too, and keeps the stream. nil: for ever.
	Stall func(context.Context) (time.Duration, bool)
}

// Serve answers the request, or passes it to next with q.Lease set. Its error
// is an *answers.Error, or what next returned.
func (l *Locator) Serve(w http.ResponseWriter, r *http.Request, q *Request, next Next) error {
	switch q.Route.Action {
	case policy.ActionGenerate:
		return l.submit(w, r, q, next)
	case policy.ActionStatus:
		return serveStatus(w, r, q.Job)
	case policy.ActionEvents:
		return l.events(w, r, q)
	case policy.ActionFiles:
		return l.files(w, r, q)
	case policy.ActionCancel:
		return l.cancel(w, r, q)
	case policy.ActionListJobs, policy.ActionProjectJobs:
		return l.listJobs(w, r, q)
	case policy.ActionStreamToken:
		return l.grantStream(w, r, q)
	case policy.ActionListModels:
		return l.Models.serve(w, r)
	}
	return notFound()
}

func (l *Locator) submit(w http.ResponseWriter, r *http.Request, q *Request, next Next) error {
	begin := l.Now()
	ctx, end := span.Start(r.Context(), "engine-proxy", "submit")
	lease, err := l.Engines.Submit(ctx, q.Owner(), l.Hold)
	end(err)
	if err != nil {
		refused, state := l.NotReady(err)
		if state != "" {
			w.Header().Set(HeaderEngineState, state)
		}
		return refused
	}
	defer lease.Release()
	q.Lease = lease
	w.Header().Set(HeaderEngineState, string(engineproxy.StateReady))
	if l.Waited != nil {
		l.Waited(l.Now().Sub(begin))
	}
	err = next(w, forEngine(r, q))
	var refused *answers.Error
	if !errors.As(err, &refused) && errors.Is(err, ErrNotSent) {
		refused = answers.EngineStarting(l.RetryAfter)
		refused.Cause, err = err, refused
	}
	switch {
	case refused == nil:
	case refused.Starting:
		w.Header().Set(HeaderEngineState, startingIn(gonePhase))
	case refused.Status != http.StatusServiceUnavailable:
		w.Header().Del(HeaderEngineState) // the refusal has nothing to do with the engine
	}
	return err
}

// gonePhase is where an engine stands that was gone when its submission came:
// before the beginning.
const gonePhase = "queued"

// startingIn is the state of an engine that starts.
func startingIn(phase string) string { return string(engineproxy.StateStarting) + "; phase=" + phase }

// NotReady is the 503 of an engine that can't take a submission yet, and what
// HeaderEngineState says of it.
func (l *Locator) NotReady(err error) (*answers.Error, string) {
	var starting *engineproxy.StartingError
	var failed *engineproxy.FailedError
	var room *engineproxy.RoomError
	var refused *answers.Error
	switch {
	case errors.As(err, &starting):
		state := string(starting.State)
		if starting.State == engineproxy.StateStarting {
			state = startingIn(starting.Phase)
		}
		return answers.EngineStarting(l.RetryAfter), state
	case errors.As(err, &failed):
		e := answers.EngineStarting(max(failed.Next.Sub(l.Now()), time.Second))
		e.Message = "The project's engine could not start: " + failed.Reason
		e.Cause = err
		return e, string(engineproxy.StateFailed)
	case errors.As(err, &room):
		message := "All engine slots are taken. Submit the same request again later."
		if room.Owner {
			message = fmt.Sprintf("%d of your projects have a running engine, the limit per owner. Submit the same request again later.", room.Most)
		}
		return answers.Unavailable(message, max(room.RetryAfter, time.Second), err), string(engineproxy.StateAbsent)
	case errors.As(err, &refused):
		return refused, ""
	}
	return answers.Unavailable("The project's engine can't be reached right now.", retrySoon, err), ""
}

// cancel hands the cancellation over and answers once the job has ended. A
// job that has ended already is answered as it is.
func (l *Locator) cancel(w http.ResponseWriter, r *http.Request, q *Request) error {
	if q.Job.Settled {
		return serveRecord(w, r, q.Job)
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(r.Context()), cancelTimeout)
	defer done()
	if err := l.Engines.Cancel(ctx, q.Owner(), q.Route.JobID); err != nil {
		return answers.Unavailable("The engine can't be reached to cancel the job right now.", retrySoon, err)
	}
	job, err := l.Sidecar.AwaitEnd(ctx, q.Route.JobID)
	if err != nil {
		return answers.Unavailable("The job is being cancelled; ask for its status.", retrySoon, fmt.Errorf("%w: %w", ErrCancelling, err))
	}
	return serveRecord(w, r, &job)
}

// forEngine returns the request that an engine gets in place of a client's. It is
// made anew, of what the contract names: nothing else of the client's headers,
// query and address reaches an engine, which is a stranger's program.
func forEngine(r *http.Request, q *Request) *http.Request {
	out := r.WithContext(r.Context())
	out.Host = "engine"
	out.URL = &url.URL{Path: "/v1/generate"}
	out.Header = http.Header{
		// The engine knows its own token and nothing of the client's.
		"Authorization": {"Bearer " + q.Lease.Token},
		"Content-Type":  {"application/json"},
		// Caddy adds these where they are not nil; see addForwardedHeaders of its
		// reverse_proxy.
		"X-Forwarded-For": nil, "X-Forwarded-Host": nil, "X-Forwarded-Proto": nil,
	}
	return out
}
