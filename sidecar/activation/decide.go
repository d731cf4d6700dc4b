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
			RequestID: peer.RequestOf(ctx).ID, ProjectID: decisionlog.ProjectOf(ctx), Repeats: repeats(ctx, in, d), Page: decisionlog.Page(ctx),
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

// ReadsAttributes reports whether the active generation reads attributes of projects.
func (e *Engine) ReadsAttributes() bool { return e.Active().Evaluator.ReadsAttributes() }

// Note records an answer that is not the active generation's: the ledger's, the console's
// or a gateway's, or a refusal of it that is given again. Of the entry it takes Path, Input,
// Decision, Count and Repeats. It returns the error of a required log, and the caller then
// fails closed.
func (e *Engine) Note(ctx context.Context, note decisionlog.Entry) error {
	if e.o.Log == nil {
		return nil
	}
	note.At, note.Evaluator = e.o.Now(), e.Active().Evaluator
	note.RequestID, note.ProjectID = peer.RequestOf(ctx).ID, decisionlog.ProjectOf(ctx)
	return e.o.Log.Add(note)
}

// Asked records a decision on facts that are the asker's, and returns the id of the record,
// "" where it has none of its own. Such decisions are not offered to a candidate in shadow.
func (e *Engine) Asked(asked decisionlog.Entry) (id string, err error) {
	if e.o.Log == nil {
		return "", nil
	}
	asked.Path, asked.Repeats = decisionlog.AskedPath, true
	return e.o.Log.AddNamed(asked)
}

// repeats reports whether anyone can cause any number of decisions like this one: refusals
// of a key alone cost a client nothing to send, and no rate of a key bounds them.
func repeats(ctx context.Context, in policy.Input, d policy.Decision) bool {
	return in.Action == policy.ActionAuthenticate && !d.Allow || in.User != nil && decisionlog.Repeats(ctx)
}
