package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/sidecar"
)

// settleTimeout bounds commit, release and fence together; they must happen
// whether or not the client is still there.
const settleTimeout = 10 * time.Second

// Submitter takes one submission through the ledger: reserve before the
// engine sees it, then exactly one of commit, release, or neither when no one
// can say what the engine did.
type Submitter struct {
	Sidecar    sidecar.Service
	Engines    engineproxy.Engines
	RetryAfter time.Duration // of a cold start
	Deadline   time.Duration // of a reservation; 0: the sidecar's default
	Now        func() time.Time
}

// Answer is what came back from the engine.
type Answer struct {
	Status  int         // 0 when no complete answer came
	Header  http.Header // of the answer
	Body    []byte
	NotSent bool // the connection could not be made: the engine saw nothing
}

// Reserve admits the submission under a new job id. A replay of an earlier
// submission comes back as that job.
func (s Submitter) Reserve(ctx context.Context, q *Request) (string, sidecar.Admission, *api.Error) {
	jobID := api.NewJobID(s.Now())
	admission, err := s.Sidecar.Reserve(ctx, sidecar.Reservation{
		JobID:          jobID,
		KeyID:          q.KeyID,
		ProjectID:      q.ProjectID,
		Limits:         q.Decision.Limits,
		Deadline:       s.Deadline,
		IdempotencyKey: q.IdempotencyKey,
		Fingerprint:    q.Fingerprint,
	})
	if err != nil {
		return "", sidecar.Admission{}, admissionError(err)
	}
	return jobID, admission, nil
}

// admissionError is the answer to a submission that the ledger did not admit.
func admissionError(err error) *api.Error {
	var refused *api.Error
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.Is(err, sidecar.ErrIdempotencyMismatch):
		return &api.Error{
			Status:  http.StatusUnprocessableEntity,
			Message: "The Idempotency-Key was used for another request.",
		}
	}
	return api.Unavailable("The quota can't be checked right now.", retrySoon, err)
}

// Settle decides from the engine's answer what the submission became, and
// tells the ledger. nil means accepted. It does not depend on the client's
// connection.
func (s Submitter) Settle(ctx context.Context, q *Request, jobID string, a Answer) *api.Error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	switch {
	case a.Status == http.StatusOK:
		return s.commit(ctx, jobID)
	case a.Header.Get(contract.HeaderRefused) == "true":
		return s.release(ctx, jobID, s.refusedByEngine(a))
	case a.NotSent:
		return s.release(ctx, jobID, api.EngineStarting(s.RetryAfter))
	}
	verdict, err := s.Engines.Fence(ctx, q.Owner(), jobID)
	switch {
	case err != nil:
		return s.unknown(jobID, err)
	case verdict == contract.Accepted:
		return s.commit(ctx, jobID)
	default:
		return s.release(ctx, jobID, api.Unavailable("The engine did not take the job. Submit it again.", retrySoon, nil))
	}
}

// commit makes the job count. When that fails the engine has a job whose row
// is still reserved; its feed will commit it, but the client can't be told so.
func (s Submitter) commit(ctx context.Context, jobID string) *api.Error {
	if err := s.Sidecar.Commit(ctx, jobID); err != nil {
		return s.unknown(jobID, err)
	}
	return nil
}

// release gives the reservation back. When that fails it stays overdue until
// the reaper has fenced it; the client's refusal holds either way.
func (s Submitter) release(ctx context.Context, jobID string, refusal *api.Error) *api.Error {
	if err := s.Sidecar.Release(ctx, jobID); err != nil {
		refusal.Cause = errors.Join(refusal.Cause, err)
	}
	return refusal
}

// unknown is the 504 of a job that may or may not exist.
func (s Submitter) unknown(jobID string, cause error) *api.Error {
	return &api.Error{
		Status:  http.StatusGatewayTimeout,
		Message: "The engine's answer was lost. The job may exist; ask for its status.",
		Header:  http.Header{contract.HeaderJobID: {jobID}},
		Cause:   cause,
	}
}

// maxEngineMessage bounds, in bytes, what an engine may say to a client.
const maxEngineMessage = 500

func (s Submitter) refusedByEngine(a Answer) *api.Error {
	var body struct {
		Error string `json:"error"`
	}
	message := "The engine refused the job."
	dec := json.NewDecoder(bytes.NewReader(a.Body))
	if dec.Decode(&body) == nil && body.Error != "" && len(body.Error) <= maxEngineMessage {
		message = body.Error
	}
	if a.Status == http.StatusBadRequest || a.Status == http.StatusRequestEntityTooLarge {
		return &api.Error{Status: a.Status, Message: message}
	}
	return api.Unavailable(message, 5*retrySoon, nil)
}
