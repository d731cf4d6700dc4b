package caddymodule

import (
	"context"
	"errors"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/sidecar"
)

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
