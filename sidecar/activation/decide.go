package activation

import (
	"context"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
)

// Decide has the active generation decide, records the decision, and offers it
// to the candidate in shadow. Every error means that there is no decision, and
// the caller fails closed; a required log that can't record is one.
func (e *Engine) Decide(ctx context.Context, in policy.Input) (policy.Decision, error) {
	g := e.Active()
	begin := e.o.Now()
	d, err := g.Evaluator.Decide(ctx, in)
	if e.o.Log != nil {
		notRecorded := e.o.Log.Add(decisionlog.Entry{
			At: begin, Took: e.o.Now().Sub(begin), Input: in, Evaluator: g.Evaluator, Decision: d, Err: err,
		})
		if notRecorded != nil {
			return policy.Decision{}, notRecorded
		}
	}
	if candidate := e.shadow.Load(); candidate != nil && err == nil {
		candidate.offer(in, d)
	}
	return d, err
}
