package gateway

import (
	"context"
	"errors"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// retrySoon is the Retry-After of a 503 whose cause may pass at any moment.
const retrySoon = time.Second

// Authenticate finds out who holds a key, or why not: 401, or 503 when the
// question can't be answered. A key that may not be used, but is known, comes
// back with the refusal, for the log.
func Authenticate(ctx context.Context, s sidecar.Service, hash api.KeyHash) (*Request, *api.Error) {
	id, err := s.Authenticate(ctx, hash)
	switch {
	case errors.Is(err, sidecar.ErrUnknownKey):
		return nil, UnknownKey()
	case err != nil:
		return nil, api.Unavailable("The API key can't be checked right now.", retrySoon, err)
	}
	q := &Request{KeyID: id.KeyID, UserID: id.UserID, Decision: id.Decision}
	if !id.Decision.Allow {
		return q, refusal(id.Decision)
	}
	return q, nil
}

// refusal is the answer to a request that the policy denied.
func refusal(d policy.Decision) *api.Error {
	e := &api.Error{Status: d.Status, Message: d.Error, Reason: d.Reason, Limit: d.Limit}
	if d.Limit != "" {
		e.RetryAfter = api.LimitRetryAfter(d.Limit, time.Now())
	}
	return e
}
