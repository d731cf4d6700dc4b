package activation

import (
	"context"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/bundle"
)

// base is what a change starts from. It is weighed without the lock, for some seconds in
// which others roll back or follow, and no good when they did.
type base struct {
	mark
	// active is what this sidecar decides by, or where it could not follow the others, what
	// they do; nil where nothing is to be compared with, as at a first start.
	active *Generation
	was    Info // the same, and what was active when the service stopped; without a number for none
	files  bundle.Snapshot
	unread error // why they, or what decides by them, are not there
	// instead says that the program's own decides in the place of what was active, see own.
	instead bool
	// approval says that a second person must agree to what follows.
	approval bool
	others   others
}

// mark is what must be as it was when a change is made.
type mark struct {
	decides, waits       string // digests, "" for none
	floor, last, version int64
}

func (e *Engine) mark() mark {
	s := e.kept.state
	m := mark{floor: s.Floor, last: s.Last}
	if active := e.Active(); active != nil {
		m.decides = active.Digest
	}
	if s.Waiting != nil {
		m.waits = s.Waiting.Digest
	}
	if e.kept.shared != nil {
		m.version = e.kept.shared.version
	}
	return m
}

// fromNow is from, after a look at what other sidecars did.
func (e *Engine) fromNow(ctx context.Context) (base, *Failure) {
	e.activating.Lock()
	defer e.activating.Unlock()
	failure := e.pullFirst(ctx)
	return e.from(), failure
}

// from returns the base of a change; the lock is held.
func (e *Engine) from() base {
	b := base{mark: e.mark(), active: e.Active(), was: e.common(), approval: e.wantsApproval(), others: e.othersLocked()}
	if b.active != nil && b.active.Digest != b.was.Digest {
		b.active = &Generation{Info: b.was} // it is compared with, and decides nothing here
	}
	if b.active == nil {
		return b
	}
	kept, _ := e.kept.state.active()
	b.instead = kept.Digest != b.active.Digest
	if b.files, b.unread = e.read(b.active.Info); b.unread == nil && b.active.Evaluator == nil {
		b.active.Evaluator, b.unread = policy.NewEvaluator(b.files)
	}
	return b
}

// common is the policy by which all sidecars with one store are to decide, this one among
// them; where it could not follow, it decides by another. Before a start has brought one into
// force it is the one of before. The lock is held.
func (e *Engine) common() Info {
	all, _ := e.kept.state.active()
	if active := e.Active(); active != nil && (e.kept.shared == nil || all.Digest == active.Digest) {
		return active.Info
	}
	return all
}

// read returns the files of a generation. The program's own may stand in the place of
// another, see own.
func (e *Engine) read(g Info) (bundle.Snapshot, error) {
	if g.trust == BuiltIn {
		return embedded{}.read(context.Background())
	}
	return e.kept.read(g)
}
