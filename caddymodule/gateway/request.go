package gateway

import (
	"context"
	"net/http"

	"github.com/svc-games/svc/api"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// HeaderPolicyRule tells a client the policy's rule that decided, where the
// configuration exposes it.
const HeaderPolicyRule = "Svc-Policy-Rule"

// Request is what the chain has learned about a request so far. svc_auth
// makes it; each module after it fills in its part and reads the others'.
type Request struct {
	// by svc_auth
	KeyID  string
	UserID string

	// by svc_access
	Route       Route
	ProjectID   string // "" for the list of projects and the creation of one
	Project     api.ProjectRequest
	Publish     api.PublishRequest
	Webhook     api.WebhookRequest
	DeliveryID  string // that is to be replayed
	Body        []byte // of a submission, checked
	model       string // that it names, "" for none
	share       *Share // what the body takes of the room for bodies; nil without one
	Fingerprint string // SHA-256 of the body, hexadecimal, of what may have an Idempotency-Key
	Job         *sidecar.Job
	Decision    policy.Decision

	IdempotencyKey string       // "" when the client sent none
	Replay         *sidecar.Job // of an earlier submission with that key

	// by svc_engine
	Lease *engineproxy.Lease

	// by svc_quota
	Admitted string // the job that the submission became; "" until it counts
}

// JobID returns the job that the request names, made or repeats, "" for none.
func (q *Request) JobID() string {
	switch {
	case q.Replay != nil:
		return q.Replay.JobID
	case q.Admitted != "":
		return q.Admitted
	}
	return q.Route.JobID
}

// Owner returns the project as the engine proxy wants to know it. The policy
// lets only the owner's keys through, so the key's user is the owner.
func (q *Request) Owner() engineproxy.Project {
	return engineproxy.Project{ID: q.ProjectID, OwnerID: q.UserID}
}

// releaseBody gives back what the body takes of the room for bodies, where there is one.
func (q *Request) releaseBody() {
	if q.share != nil {
		q.share.Release()
	}
}

type requestKey struct{}

// WithRequest returns r with q in its context.
func WithRequest(r *http.Request, q *Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), requestKey{}, q))
}

// RequestOf returns what the chain knows about r; nil before svc_auth.
func RequestOf(r *http.Request) *Request {
	q, _ := r.Context().Value(requestKey{}).(*Request)
	return q
}
