// Package wire is the wire between a gateway and a sidecar in another process:
// Handler serves sidecar.Service over a peer connection, Client implements it.
// Each call is one round trip and answers as in process, errors included; a call
// without an answer is sidecar.ErrUnreachable, and the caller fails closed.
// ConsoleHandler and Console do the same for the console.
package wire

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/peer/rpc"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/sidecar"
)

// Path is where a sidecar serves gateways, with the version of the calls.
const Path = "/sidecar/v1"

// sentinels are the errors that keep their identity on the wire.
var sentinels = rpc.Sentinels{
	"unknown_key":          sidecar.ErrUnknownKey,
	"unknown_token":        sidecar.ErrUnknownToken,
	"unknown_job":          sidecar.ErrUnknownJob,
	"unknown_project":      sidecar.ErrUnknownProject,
	"project_busy":         sidecar.ErrProjectBusy,
	"not_published":        sidecar.ErrNotPublished,
	"no_webhook":           sidecar.ErrNoWebhook,
	"unknown_delivery":     sidecar.ErrUnknownDelivery,
	"released":             sidecar.ErrReleased,
	"in_doubt":             sidecar.ErrInDoubt,
	"idempotency_mismatch": sidecar.ErrIdempotencyMismatch,
	"no_decision":          policy.ErrNoDecision,
	"undefined":            policy.ErrUndefined,
	"malformed":            policy.ErrMalformed,
	"not_recorded":         decisionlog.ErrNotRecorded,
	"canceled":             context.Canceled,
	"deadline_exceeded":    context.DeadlineExceeded,
}

// codeRefusal is the code of an error whose detail is a refusal.
const codeRefusal = "refusal"

// codes are the sentinels, and *answers.Error with all that clients see of it.
type codes struct{}

// refusal is an answers.Error on the wire. Its cause is in the text of the error.
type refusal struct {
	Status     int           `json:"status"`
	Message    string        `json:"message"`
	Reason     string        `json:"reason,omitempty"`
	Limit      string        `json:"limit,omitempty"`
	RetryAfter time.Duration `json:"retryAfter,omitempty"` // nanoseconds
	Starting   bool          `json:"starting,omitempty"`
	Header     http.Header   `json:"header,omitempty"`
}

// Encode implements rpc.Codes.
func (codes) Encode(err error) ([]string, any) {
	list, _ := sentinels.Encode(err)
	var refused *answers.Error
	if !errors.As(err, &refused) {
		return list, nil
	}
	return append(list, codeRefusal), refusal{
		Status: refused.Status, Message: refused.Message, Reason: refused.Reason, Limit: refused.Limit,
		RetryAfter: refused.RetryAfter, Starting: refused.Starting, Header: refused.Header,
	}
}

// Decode implements rpc.Codes.
func (codes) Decode(f rpc.Failure) []error {
	errs := sentinels.Decode(f)
	if f.Detail == nil {
		return errs
	}
	var r refusal
	if err := json.Unmarshal(f.Detail, &r); err != nil {
		return errs // without its detail it is no refusal: the caller fails closed
	}
	return append(errs, &answers.Error{
		Status: r.Status, Message: r.Message, Reason: r.Reason, Limit: r.Limit,
		RetryAfter: r.RetryAfter, Starting: r.Starting, Header: r.Header,
	})
}

// Requests and answers that have no type of their own elsewhere.
type (
	keyHash struct {
		Hash []byte `json:"hash"`
	}
	question struct {
		KeyID     string        `json:"keyId"`
		ProjectID string        `json:"projectId"`
		Action    policy.Action `json:"action"`
	}
	// identified and decided have besides for which requests the decision is good, and
	// whose the project is where the key's user is another: only where that matters,
	// since a gateway of an earlier version takes no such members.
	identified struct {
		sidecar.Identity
		Reads policy.Reads `json:"reads,omitempty"`
	}
	decided struct {
		policy.Decision
		Reads   policy.Reads `json:"reads,omitempty"`
		OwnerID string       `json:"ownerId,omitempty"`
	}
	earlier struct {
		KeyID          string `json:"keyId"`
		IdempotencyKey string `json:"idempotencyKey"`
		Fingerprint    string `json:"fingerprint"`
	}
	reservation struct {
		sidecar.Reservation
		// Again is sent by gateways of earlier versions and ignored.
		Again bool
	}
	streamGrant struct {
		Hash  []byte `json:"hash"`
		KeyID string `json:"keyId"`
		JobID string `json:"jobId"`
	}
	newProject struct {
		UserID  string             `json:"userId"`
		Request api.ProjectRequest `json:"request"`
	}
	projectOnce struct {
		newProject
		Once sidecar.Once `json:"once"`
	}
	// createdOnce answers what a request made, or an earlier one did.
	createdOnce struct {
		Project  api.Project `json:"project"`
		Replayed bool        `json:"replayed"`
	}
	newWebhook struct {
		ProjectID string             `json:"projectId"`
		Request   api.WebhookRequest `json:"request"`
	}
	deliveryRef struct {
		ProjectID  string `json:"projectId"`
		DeliveryID string `json:"deliveryId"`
	}
	projectPage struct {
		UserID string `json:"userId"`
		After  string `json:"after"`
		Limit  int    `json:"limit"`
	}
	jobRef struct {
		JobID string `json:"jobId"`
	}
	renewal struct {
		JobID string        `json:"jobId"`
		After time.Duration `json:"after"` // nanoseconds
	}
	jobsBefore struct {
		ProjectID string `json:"projectId"`
		Before    string `json:"before"`
	}
	publish struct {
		ProjectID string `json:"projectId"`
		JobID     string `json:"jobId"`
	}
	look struct {
		ProjectID string        `json:"projectId"`
		Query     api.ViewQuery `json:"query"`
	}
	span struct {
		ProjectID string `json:"projectId"`
		Days      int    `json:"days"`
	}
	place struct {
		After int64 `json:"after"`
	}
	// ending answers whether a job has ended.
	ending struct {
		Ended bool        `json:"ended"`
		Job   sidecar.Job `json:"job"`
	}
	status struct {
		PolicyRevision string `json:"policyRevision"`
		PolicyProblem  string `json:"policyProblem"`
		Push           string `json:"push,omitempty"`
		WriteError     string `json:"writeError,omitempty"`
	}
)
