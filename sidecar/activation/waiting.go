package activation

import (
	"context"
	"errors"

	"go.uber.org/zap"
)

// Errors of what waits.
var (
	// ErrNoneWaits is returned, wrapped, when no policy waits, or another one does.
	ErrNoneWaits = errors.New("no such policy waits")
	// ErrApproval is returned, wrapped, for an approval that does not count.
	ErrApproval = errors.New("the approval does not count")
)

// Held is why a policy waits in shadow before it becomes active.
type Held struct {
	// Approval says that someone whose key is among the approvers, and who did not sign
	// the policy, must agree.
	Approval bool `json:"approval,omitempty"`
	// Chosen says that it is the program's own, and that the active one is what a person
	// activated: another program does not take that away.
	Chosen bool `json:"chosen,omitempty"`
	Compared
}

func (h Held) String() string {
	text := h.Compared.String()
	if h.Chosen {
		text += ", and a person activated another than the program's own"
	}
	if h.Approval {
		text += ", and needs the approval of a second person"
	}
	return text
}

// mustWait returns why a policy must wait, nil when it need not. One that finds none active
// need not, nor does the policy of the program where that of another program is active.
func (e *Engine) mustWait(ctx context.Context, from base, g *Generation, r Request) (*Held, *Failure) {
	active, own := from.active, g.trust == BuiltIn
	if active == nil || active.Digest == g.Digest || own && active.Source == Embedded {
		return nil, nil
	}
	h := &Held{Approval: from.approval, Chosen: own && active.chosen()}
	if g.Revision != active.Revision {
		var err error
		if h.Compared, err = e.compare(ctx, from, g, r, h.Chosen); err != nil {
			return nil, &Failure{StepCompare, err}
		}
	}
	if h.Approval || h.Chosen || !h.within(e.o.Threshold) {
		return h, nil
	}
	if g.Revision != active.Revision {
		g.Changes = &h.Compared
	}
	return nil, nil
}

// hold keeps a policy for an approval, and has it decide along until then.
func (e *Engine) hold(ctx context.Context, from base, g *Generation, r Request, sourceDigest string) *Failure {
	if failure := r.Confirm.ask(ctx, from.was, g.Info); failure != nil {
		return failure
	}
	if err := e.kept.hold(g.Info, r.Files, sourceDigest); err != nil {
		return &Failure{StepKeep, err}
	}
	e.o.Logger.Warn("policy waits in shadow for an approval", append(g.Held.fields(),
		zap.Int64("generation", g.Number), zap.String("revision", g.Revision), zap.String("source", g.Source),
		zap.Bool("second_person", g.Held.Approval), zap.Bool("program", g.Held.Chosen))...)
	e.rehearse(ctx, g)
	return nil
}

// rehearse has the policy that waits decide along, and ends that of one that does not wait
// any more. known may be the policy that waits.
func (e *Engine) rehearse(ctx context.Context, known *Generation) {
	waiting := e.kept.state.Waiting
	digest, count := "", 0.
	if waiting != nil {
		digest, count = waiting.Digest, 1
	}
	e.o.Metrics.waiting.Set(count)
	if digest == e.rehearsed {
		return
	}
	if old := e.shadow.Load(); old != nil && old.candidate.Digest == e.rehearsed {
		e.replaceShadow(nil)
	}
	e.rehearsed = digest
	if waiting == nil {
		return
	}
	if known == nil {
		var failure *Failure
		if known, failure = e.restore(ctx, *waiting); failure != nil {
			e.o.Logger.Error("waiting policy can't run in shadow", failure.fields()...)
			return
		}
	}
	e.replaceShadow(newShadow(known, 1, e.o))
}
