package access

import (
	"context"
	"errors"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
)

// refusal is what a policy says to keys that no one has.
type refusal struct {
	revision string
	decision policy.Decision
}

// errAllowed: the policy allows what no one may do.
var errAllowed = errors.New("the policy allows a key that does not exist")

// refuseUnknown has the policy decide on a key that no one has, once for each revision:
// all of them are the same input, and cost a client nothing to send.
func (d *Door) refuseUnknown(ctx context.Context, in policy.Input) (policy.Decision, error) {
	revision := d.policy.Revision() // first: a decision by newer rules is then made once too often
	if last := d.unknown.Load(); last != nil && last.revision == revision {
		if err := d.record(ctx, decisionlog.Entry{Input: in, Decision: last.decision, Repeats: true}); err != nil {
			return policy.Decision{}, err
		}
		return last.decision, nil
	}
	decision, err := d.policy.Decide(ctx, in)
	if err == nil && decision.Allow {
		err = errAllowed
	}
	if err != nil {
		return policy.Decision{}, err
	}
	d.unknown.Store(&refusal{revision, decision})
	return decision, nil
}
