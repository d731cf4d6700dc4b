package activation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-games/svc/policy/bundle"
)

// ErrUnknownRevision is returned, wrapped, for a generation that is not kept.
var ErrUnknownRevision = errors.New("no such policy is kept")

// minPrefix is how much of a revision must be given.
const minPrefix = 6

// Rollback makes a kept generation the active one again: the one with the
// given revision, or with "" the one that was active before the active one, that of all
// sidecars with one store. The source is activated again only when it changes.
func (e *Engine) Rollback(ctx context.Context, actor, revision string, confirm Confirm) (Info, error) {
	e.activating.Lock()
	defer e.activating.Unlock()
	ctx, cancel := context.WithTimeout(ctx, activationTimeout)
	defer cancel()
	if failure := e.pullFirst(ctx); failure != nil {
		return Info{}, failure
	}
	to, err := e.kept.state.find(revision, e.common().Number)
	if err != nil {
		return Info{}, err
	}
	g, failure := e.restore(ctx, to)
	if failure != nil {
		return Info{}, e.o.Metrics.failed(failure)
	}
	g.ActivatedAt, g.ActivatedBy, g.Withdrawn, g.Changes = e.o.Now().UTC(), actor, false, nil
	if failure := confirm.ask(ctx, e.common(), g.Info); failure != nil {
		return Info{}, failure
	}
	if err := e.kept.choose(g.Info); err != nil {
		return Info{}, &Failure{StepKeep, err}
	}
	e.swap(g)
	return g.Info, nil
}

// restore prepares a kept generation. The digest says that it is still what was
// activated; but that may have been under another key, or without one.
func (e *Engine) restore(ctx context.Context, of Info) (*Generation, *Failure) {
	files, err := e.kept.read(of)
	if err != nil {
		return nil, &Failure{StepRead, err}
	}
	if err := e.checkSignature(files, of.trust); err != nil {
		return nil, &Failure{StepSignature, err}
	}
	g := &Generation{Info: of}
	return g, e.prove(ctx, g, files)
}

// own returns the program's own policy in the place of that of a former program, which
// nobody signed. Without it what the source holds would be the first policy there is, and
// would not wait.
func (e *Engine) own(ctx context.Context, of Info) (*Generation, *Failure) {
	files, err := embedded{}.read(ctx)
	if err != nil {
		return nil, &Failure{StepRead, err}
	}
	of.Digest, of.trust = files.Digest(), BuiltIn
	g := &Generation{Info: of}
	return g, e.prove(ctx, g, files)
}

// Files returns the files of a kept generation, those of the active one for
// "", for whoever wants to compare.
func (e *Engine) Files(revision string) (bundle.Snapshot, error) {
	e.activating.Lock()
	defer e.activating.Unlock()
	active := e.Active()
	revision = cmp.Or(revision, active.Revision)
	if revision == active.Revision && active.trust == BuiltIn {
		return e.read(active.Info)
	}
	if waiting, err := e.kept.state.waiting(revision); err == nil {
		return e.kept.read(waiting)
	}
	of, err := e.kept.state.find(revision, 0)
	if err != nil {
		return nil, err
	}
	return e.kept.read(of)
}

// find returns the generation with a revision, or with "" the one that was active
// before number and that no rollback withdrew.
func (s state) find(revision string, number int64) (Info, error) {
	if revision != "" && len(revision) < minPrefix {
		return Info{}, fmt.Errorf("%w: %q is too short, give %d characters or more", ErrUnknownRevision, revision, minPrefix)
	}
	before := s.Generations
	if revision == "" {
		before = before[:max(0, slices.IndexFunc(before, func(g Info) bool { return g.Number == number }))]
	}
	for _, g := range slices.Backward(before) {
		if revision == "" && !g.Withdrawn || revision != "" && strings.HasPrefix(g.Revision, revision) {
			return g, nil
		}
	}
	if revision == "" {
		return Info{}, fmt.Errorf("%w: there is none before the active one", ErrUnknownRevision)
	}
	return Info{}, fmt.Errorf("%w: %s; svc policy status lists them", ErrUnknownRevision, revision)
}
