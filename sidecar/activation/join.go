package activation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/svc-games/svc/policy/bundle"
)

// Share has the engine decide by what all sidecars with one store do, from now on: what
// one activates or rolls back is activated by all. What the source of this one holds and
// none has seen yet is activated for all; otherwise the engine takes what they have.
// It is called once, before the first decision; name is the sidecar's own. stop ends the
// following.
func (e *Engine) Share(ctx context.Context, s Shared, name string) (stop func() error, err error) {
	if err := e.join(ctx, s, name); err != nil {
		return nil, err
	}
	return e.follow(), nil
}

func (e *Engine) join(ctx context.Context, s Shared, name string) error {
	e.activating.Lock()
	defer e.activating.Unlock()
	s = bounded{s}
	version, text, err := s.Load(ctx)
	if err != nil {
		return fmt.Errorf("reading the policies of the store: %w", err)
	}
	own, mine := e.Active().Info, e.kept.state
	if w := mine.Waiting; w != nil {
		own = *w
	}
	var files bundle.Snapshot
	if e.changed || mine.Waiting != nil {
		if files, err = e.kept.read(own); err != nil { // as long as the number is its own
			return err
		}
	}
	e.kept.shared = &sharing{Shared: s, name: name, version: version}
	for range joinAttempts {
		if version == 0 {
			e.kept.shared.approvers = e.ownApprovers()
			err = e.publishAll()
		} else {
			err = e.joinOthers(ctx, version, text, own, mine, files)
		}
		if !errors.Is(err, ErrMeanwhile) {
			return err
		}
		var failed error
		if version, text, failed = s.Load(ctx); failed != nil {
			return fmt.Errorf("reading the policies of the store: %w", failed)
		}
	}
	return err
}

// joinOthers takes what others have, and activates what this sidecar's source holds if
// none has seen it. own and mine are what it had by itself.
func (e *Engine) joinOthers(ctx context.Context, version int64, text []byte, own Info, mine state, files bundle.Snapshot) error {
	theirs, err := decode(text)
	if err != nil {
		return err
	}
	e.unaudited = nil // what this one did alone is undone, or done below once more
	e.lag(e.adopt(ctx, version, theirs))
	if err := e.shareApprovers(); err != nil {
		return err
	}
	unseen := !slices.Contains(e.kept.shared.seen[e.o.Source], mine.SourceDigest)
	// What the source held before is there again, unless it was the last that the others saw:
	// what they did since stands.
	again := e.resumed && !e.kept.shared.isLast(held{e.o.Source, mine.SourceDigest})
	if mine.Waiting != nil && unseen || e.changed && own.Digest != e.Active().Digest && (again || unseen) {
		return e.publish(ctx, own, files, mine.SourceDigest)
	}
	return nil
}

// publishAll shares what this sidecar has: it is the first.
func (e *Engine) publishAll() error {
	archives := map[string][]byte{}
	for _, g := range e.kept.state.all() {
		text, err := e.kept.archive(g)
		if err != nil {
			return err
		}
		archives[g.Digest] = text
	}
	return e.kept.shared.save(e.kept.state, archives, held{e.o.Source, e.kept.state.SourceDigest})
}

// publish activates for all what this sidecar's source holds, or has it wait. One that is
// older than what the others had is refused: the problem is reported.
func (e *Engine) publish(ctx context.Context, own Info, files bundle.Snapshot, sourceDigest string) error {
	request := Request{Files: files, Source: own.Source, Actor: own.ActivatedBy, Trust: own.trust, Confirm: e.record}
	g, failure := e.activateLocked(ctx, request, sourceDigest)
	switch {
	case failure != nil && errors.Is(failure, ErrMeanwhile):
		return failure
	case failure != nil:
		e.report(problem{wanted: own.Revision, failure: failure})
	case g.Held != nil:
		e.setProblem(problem{wanted: own.Revision})
	}
	return nil
}

// decode reads what is shared.
func decode(text []byte) (theirs common, err error) {
	if err := json.Unmarshal(text, &theirs); err != nil {
		return theirs, fmt.Errorf("reading the policies of the store: %w", err)
	}
	for i, g := range theirs.Generations {
		theirs.Generations[i].trust = trustOfKept(g)
	}
	if g := theirs.Waiting; g != nil {
		g.trust = trustOfKept(*g)
	}
	return theirs, nil
}

// adopt makes the shared state the engine's own, and its generation the active one.
func (e *Engine) adopt(ctx context.Context, version int64, theirs common) *Failure {
	e.kept.take(theirs, version)
	to, ok := e.kept.state.active()
	if !ok {
		return failed(StepRead, "the policies of the store have no active one")
	}
	if own := e.Active(); own != nil && own.Digest == to.Digest {
		e.active.Store(&Generation{Info: to, Evaluator: own.Evaluator})
		e.caughtUp()
		e.rehearse(ctx, nil)
		return nil
	}
	g, failure := e.restore(ctx, to)
	if failure == nil {
		e.swap(g)
	}
	return failure
}
