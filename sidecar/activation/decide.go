package activation

import (
	"context"

	"github.com/svc-games/svc/peer"
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
			RequestID: peer.RequestOf(ctx).ID, ProjectID: decisionlog.ProjectOf(ctx), Repeats: ofKeyAlone(in),
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

// Repeat records that a decision on a key which no one has was answered again. It
// returns the error of a required log, and the caller then fails closed.
func (e *Engine) Repeat(ctx context.Context, in policy.Input, d policy.Decision) error {
	if e.o.Log == nil {
		return nil
	}
	return e.o.Log.Add(decisionlog.Entry{
		At: e.o.Now(), Input: in, Evaluator: e.Active().Evaluator, Decision: d, RequestID: peer.RequestOf(ctx).ID, Repeats: true,
	})
}

// OfLedger records what the ledger answered instead of the active generation: a refusal of
// what that allowed, or with an allowed decision the replay of a submission. It returns
// the error of a required log.
func (e *Engine) OfLedger(ctx context.Context, in policy.Input, d policy.Decision) error {
	if e.o.Log == nil {
		return nil
	}
	path := decisionlog.LedgerPath
	if d.Allow {
		path = decisionlog.ReplayPath
	}
	return e.o.Log.Add(decisionlog.Entry{
		At: e.o.Now(), Input: in, Evaluator: e.Active().Evaluator, Decision: d, RequestID: peer.RequestOf(ctx).ID,
		ProjectID: decisionlog.ProjectOf(ctx), Path: path,
	})
}

// ofKeyAlone reports whether a decision is on a key alone. One that is refused costs a
// client nothing to send, and no rate of a key bounds it.
func ofKeyAlone(in policy.Input) bool { return in.Action == policy.ActionAuthenticate }
