package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/span"
	"github.com/svc-games/svc/sidecar"
)

// settleTimeout bounds commit, release and fence together; they must happen
// whether or not the client is still there.
const settleTimeout = 10 * time.Second

// Submitter takes submissions through the ledger: reserve before the engine
// sees one, then exactly one of commit, release, or neither when no one can say
// what the engine did. It is safe for concurrent use.
type Submitter struct {
	Sidecar    sidecar.Service
	Engines    engineproxy.Engines
	Routes     *Routes
	RetryAfter time.Duration // of a cold start
	Timeout    time.Duration // how long the engine may take to answer
	Deadline   time.Duration // of a reservation, from its last renewal; 0: the sidecar's default, never renewed
	Now        func() time.Time
	Outcome    func(Outcome) // is told what became of each submission
	Logger     *zap.Logger
}

// Serve admits a submission, passes it to the engine of q.Lease by next, and
// answers once the ledger has the job. A replay is answered with the job that it
// repeats. A client that leaves changes nothing. Its error is an *answers.Error: 429
// (a limit), 503 (no admission possible), 504 (the engine's answer was lost and it is
// unreachable), or what the engine refuses.
func (s *Submitter) Serve(w http.ResponseWriter, r *http.Request, q *Request, next Next) error {
	jobID, admission, refused := s.reserve(r.Context(), q)
	if refused != nil {
		s.Outcome(OutcomeRefused)
		return refused
	}
	if admission.Replayed != nil {
		q.Replay = admission.Replayed
		return writeReplay(w, q.Replay)
	}
	q.Admitted = jobID
	a, refused := s.submit(r, q, admission.SessionID, next)
	if refused != nil {
		return refused
	}
	s.Logger.Debug("submission accepted", zap.String("job", jobID), zap.Int("engine_status", a.status))
	s.Routes.Record(jobID, q.ProjectID)
	setRateLimit(w.Header(), admission.Limits, admission.Usage, s.Now())
	return writeJSON(w, http.StatusOK, api.Submission{
		JobID:     jobID,
		ProjectID: q.ProjectID,
		Status:    api.JobQueued,
		SessionID: admission.SessionID,
	})
}

// submit sends the admitted submission to the engine and settles it exactly once,
// even when a handler behind it panics. reverse_proxy panics with
// http.ErrAbortHandler when the engine breaks off in the middle of its answer:
// that is a lost answer, and nothing has gone to the client yet.
func (s *Submitter) submit(r *http.Request, q *Request, sessionID string, next Next) (a answer, refused *answers.Error) {
	stop := s.renew(context.WithoutCancel(r.Context()), q.Admitted)
	defer func() {
		defer stop()
		p := recover()
		if p != nil {
			a = answer{}
		}
		refused = s.settle(r.Context(), q, q.Admitted, a)
		s.Outcome(outcomeOf(a, refused))
		if p != nil && p != http.ErrAbortHandler {
			panic(p)
		}
	}()
	return s.ask(r, q, sessionID, next), nil // settling says whether it is refused
}

// ask sends the submission to the engine, detached from the client's connection,
// and returns what came back.
func (s *Submitter) ask(r *http.Request, q *Request, sessionID string, next Next) answer {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), s.Timeout)
	defer cancel()
	ctx, end := span.Start(ctx, "engine", "submit")
	r = r.Clone(ctx)
	replaceBody(r, q.Body)
	// The body goes out only after the engine behind the endpoint has taken
	// the instance's token: another one never sees it.
	r.Header.Set("Expect", "100-continue")
	r.Header.Set(contract.HeaderJobID, q.Admitted)
	r.Header.Set(contract.HeaderSessionID, sessionID)
	r.Header.Set(contract.HeaderRequestID, peer.RequestOf(ctx).ID) // and not what the client wrote there
	span.Inject(ctx, r.Header)

	w := newAnswerWriter()
	err := next(w, r)
	end(err)
	if errors.Is(err, ErrNotSent) {
		return answer{notSent: true}
	}
	if err != nil || w.overflow {
		s.Logger.Warn("engine answer lost", zap.String("job", q.Admitted), zap.Error(err), zap.Bool("overflow", w.overflow))
		return answer{}
	}
	if instance := w.header.Get(contract.HeaderInstance); instance != q.Lease.InstanceID {
		// Whatever answered is not the engine that was asked.
		s.Logger.Warn("another engine answered", zap.String("job", q.Admitted), zap.String("asked", q.Lease.InstanceID), zap.String("answered", instance))
		return answer{}
	}
	return w.answer()
}

// reserve admits the submission under a new job id. A replay of an earlier
// submission comes back as that job.
func (s *Submitter) reserve(ctx context.Context, q *Request) (string, sidecar.Admission, *answers.Error) {
	jobID := mint.NewJobID(s.Now())
	ctx, end := span.Start(ctx, "sidecar", "reserve")
	admission, err := s.Sidecar.Reserve(ctx, sidecar.Reservation{
		JobID:          jobID,
		KeyID:          q.KeyID,
		ProjectID:      q.ProjectID,
		Limits:         q.Decision.Limits,
		Deadline:       s.Deadline,
		IdempotencyKey: q.IdempotencyKey,
		Fingerprint:    q.Fingerprint,
		Webhook:        q.JobWebhook,
	})
	end(err)
	if err != nil {
		return "", sidecar.Admission{}, admissionError(err)
	}
	return jobID, admission, nil
}

// admissionError is the answer to a submission that the ledger did not admit.
func admissionError(err error) *answers.Error {
	var refused *answers.Error
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.Is(err, sidecar.ErrIdempotencyMismatch):
		return otherRequest()
	}
	return answers.Unavailable("The quota can't be checked right now.", retrySoon, err)
}

// otherRequest is the 422 of an Idempotency-Key that comes with another body.
func otherRequest() *answers.Error {
	return &answers.Error{Status: http.StatusUnprocessableEntity, Message: "The Idempotency-Key was used for another request."}
}

// settle decides from the engine's answer what the submission became, and
// tells the ledger. nil means accepted. It does not depend on the client's
// connection.
func (s *Submitter) settle(ctx context.Context, q *Request, jobID string, a answer) *answers.Error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	switch {
	case a.status == http.StatusOK:
		return s.commit(ctx, jobID)
	case a.header.Get(contract.HeaderRefused) == "true":
		return s.release(ctx, jobID, s.refusedByEngine(a))
	case a.notSent:
		return s.release(ctx, jobID, answers.EngineStarting(s.RetryAfter))
	}
	verdict, err := s.Engines.Fence(ctx, q.Owner(), jobID)
	switch {
	case err != nil:
		return s.unknown(jobID, err)
	case verdict == contract.Accepted:
		return s.commit(ctx, jobID)
	default:
		return s.release(ctx, jobID, answers.Unavailable("The engine did not take the job. Submit it again.", retrySoon, nil))
	}
}

// commit makes the job count. When that fails the engine has a job whose row
// is still reserved; its feed will commit it, but the client can't be told so.
func (s *Submitter) commit(ctx context.Context, jobID string) *answers.Error {
	ctx, end := span.Start(ctx, "sidecar", "commit")
	err := s.Sidecar.Commit(ctx, jobID)
	end(err)
	if err != nil {
		return s.unknown(jobID, err)
	}
	return nil
}

// release gives the reservation back. When that fails it stays overdue until
// the reaper has fenced it; the client's refusal holds either way.
func (s *Submitter) release(ctx context.Context, jobID string, refusal *answers.Error) *answers.Error {
	ctx, end := span.Start(ctx, "sidecar", "release")
	err := s.Sidecar.Release(ctx, jobID)
	end(err)
	if err != nil {
		refusal.Cause = errors.Join(refusal.Cause, err)
	}
	return refusal
}

// unknown is the 504 of a job that may or may not exist.
func (s *Submitter) unknown(jobID string, cause error) *answers.Error {
	return &answers.Error{
		Status:  http.StatusGatewayTimeout,
		Message: "The engine's answer was lost. The job may exist; ask for its status.",
		Header:  http.Header{contract.HeaderJobID: {jobID}},
		Cause:   cause,
	}
}

// maxEngineMessage bounds, in bytes, what an engine may say to a client.
const maxEngineMessage = 500

func (s *Submitter) refusedByEngine(a answer) *answers.Error {
	var body struct {
		Error string `json:"error"`
	}
	message := "The engine refused the job."
	dec := json.NewDecoder(bytes.NewReader(a.body))
	if dec.Decode(&body) == nil && body.Error != "" && len(body.Error) <= maxEngineMessage {
		message = body.Error
	}
	if a.status == http.StatusBadRequest || a.status == http.StatusRequestEntityTooLarge {
		return &answers.Error{Status: a.status, Message: message}
	}
	return answers.Unavailable(message, 5*retrySoon, nil)
}

// maxAnswer bounds, in bytes, an engine's answer to a submission; the
// contract's is a few hundred.
const maxAnswer = 64 << 10

// answer is what came back from the engine.
type answer struct {
	status  int         // 0 when no complete answer came
	header  http.Header // of the answer
	body    []byte
	notSent bool // the connection could not be made: the engine saw nothing
}

// answerWriter keeps an engine's answer to a submission: the gateway writes
// the client's answer itself, once the ledger has the job.
type answerWriter struct {
	header   http.Header
	status   int
	body     bytes.Buffer
	overflow bool
}

func newAnswerWriter() *answerWriter { return &answerWriter{header: make(http.Header)} }

func (a *answerWriter) Header() http.Header { return a.header }

func (a *answerWriter) WriteHeader(status int) {
	if a.status == 0 && status >= 200 {
		a.status = status
	}
}

func (a *answerWriter) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if a.body.Len()+len(p) > maxAnswer {
		a.overflow = true
		return len(p), nil
	}
	return a.body.Write(p)
}

func (a *answerWriter) answer() answer {
	return answer{status: a.status, header: a.header, body: a.body.Bytes()}
}

// Outcome is what became of a submission, as it stands in svc_submissions_total.
type Outcome string

// The outcomes.
const (
	OutcomeAccepted Outcome = "accepted" // the job exists and counts
	OutcomeRefused  Outcome = "refused"  // not admitted: a limit, or no ledger
	OutcomeReleased Outcome = "released" // admitted, not taken by the engine, given back
	OutcomeFenced   Outcome = "fenced"   // the answer was lost; the engine promised never to take it
	OutcomeLost     Outcome = "lost"     // the answer was lost and the engine is unreachable: 504
)

// Outcomes are all of them.
var Outcomes = []Outcome{OutcomeAccepted, OutcomeRefused, OutcomeReleased, OutcomeFenced, OutcomeLost}

// outcomeOf says what became of an admitted submission: a is the engine's
// answer, refused what the client is told, nil for accepted.
func outcomeOf(a answer, refused *answers.Error) Outcome {
	switch {
	case refused == nil:
		return OutcomeAccepted
	case refused.Status == http.StatusGatewayTimeout:
		return OutcomeLost
	case a.notSent || a.header.Get(contract.HeaderRefused) == "true":
		return OutcomeReleased
	}
	return OutcomeFenced
}

// renewals is how often a reservation is renewed before it would be overdue: some may
// fail, or be slow.
const renewals = 4

// renew keeps a reservation from being overdue until stop is called. A gateway that is
// killed renews no more, and what it left is settled without it. Most submissions end
// before the first renewal.
func (s *Submitter) renew(ctx context.Context, jobID string) (stop func()) {
	if s.Deadline <= 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	first := time.AfterFunc(s.Deadline/renewals, func() {
		every := time.NewTicker(s.Deadline / renewals)
		defer every.Stop()
		for ctx.Err() == nil {
			if err := s.renewOnce(ctx, jobID); err != nil && ctx.Err() == nil {
				s.Logger.Warn("renewing reservation failed", zap.String("job", jobID), zap.Error(err))
			}
			select {
			case <-every.C:
			case <-ctx.Done():
			}
		}
	})
	return func() {
		first.Stop()
		cancel()
	}
}

func (s *Submitter) renewOnce(ctx context.Context, jobID string) error {
	ctx, cancel := context.WithTimeout(ctx, s.Deadline/2)
	defer cancel()
	return s.Sidecar.Renew(ctx, jobID, s.Deadline)
}

// Interface guards
var _ http.ResponseWriter = (*answerWriter)(nil)
