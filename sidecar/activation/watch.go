package activation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/bundle"
)

// retryAfter is how long the same files are left alone after a failure that may
// pass; retrySoon those that other sidecars decide by, at first.
const (
	retryAfter = 30 * time.Second
	retrySoon  = time.Second
)

// watcher follows the source. It activates the same files once: a policy that
// failed is not tried each second, and one that an admin rolled back stays so.
type watcher struct {
	engine *Engine
	// pending is the digest of files that were seen once: a directory is
	// activated when two looks in a row find the same, as someone may be
	// writing to it.
	pending string
	// failed is the digest of files whose activation may be tried again at
	// retryAt.
	failed  string
	retryAt time.Time
	// trusted is by which keys the files were looked at last; again is set where they were
	// refused for their signature by others.
	trusted *trusted
	again   bool
	// unread says why the source can't be read, nil while it can; it is logged
	// once. before is the problem that there was until then.
	unread *Failure
	before problem
}

// begin brings the first generation into force: the one that was active when
// the service stopped, or what the source holds if that changed.
func (w *watcher) begin(ctx context.Context) error {
	e := w.engine
	e.activating.Lock()
	defer e.activating.Unlock()
	last, exists := e.kept.state.active()
	e.resumed = exists
	files, err := w.read(ctx)
	var failure *Failure
	resumed := false
	if err != nil {
		failure = &Failure{StepRead, err}
		w.unread = failure
	} else {
		digest := files.Digest()
		same := e.kept.state.Source == e.o.Source && e.kept.state.SourceDigest == digest
		// What is new is compared with what was active, but for the policy of one program
		// with that of another.
		if exists && (same || e.source.trust() != BuiltIn || last.Source != Embedded) {
			lost := w.resume(ctx, last)
			if resumed = lost == nil; !resumed && !e.o.Shared && e.source.trust() == BuiltIn && last.chosen() {
				return e.lost(last, lost)
			}
		}
		if resumed && same {
			w.asBefore()
			return nil
		}
		var g *Generation
		if g, failure = e.activateLocked(ctx, w.request(files), digest); failure == nil {
			w.activated(g, digest)
			e.changed = g.Held == nil
			return nil
		}
	}
	if !exists || !resumed && w.resume(ctx, last) != nil {
		return failure
	}
	if w.before = e.problem(); e.kept.state.Refused != nil {
		w.before = e.kept.state.Refused.problem()
	}
	e.report(problem{wanted: wantedOf(files), failure: failure})
	switch {
	case files == nil:
	case failure.lasting():
		w.looked(files.Digest(), failure)
	default:
		w.retryLater(files.Digest())
	}
	return nil
}

// lost is why a start fails whose policy a person chose: no other takes its place without
// anybody's word.
func (e *Engine) lost(last Info, why *Failure) error {
	return fmt.Errorf("the policy %.12s that %s activated can't be used any more: %w: "+
		"activate another one with the program of before, or move %s away to begin with the program's own",
		last.Revision, last.ActivatedBy, why, e.kept.dir)
}

// asBefore notes of a source that did not change why it is not active, or that it waits.
func (w *watcher) asBefore() {
	state := w.engine.kept.state
	switch {
	case state.Refused != nil:
		w.engine.report(state.Refused.problem())
	case state.Waiting != nil && state.Waiting.ActivatedBy == ByService:
		w.engine.setProblem(problem{wanted: state.Waiting.Revision})
	}
}

// read reads the source. One without rules can't be read, however often it is
// asked.
func (w *watcher) read(ctx context.Context) (bundle.Snapshot, error) {
	files, err := w.engine.source.read(ctx)
	if err == nil {
		if err = checkAny(files); err != nil {
			w.forget()
			files = nil
		}
	}
	return files, err
}

// retryLater leaves files alone for a while whose activation failed for a
// reason that may pass.
func (w *watcher) retryLater(digest string) {
	w.failed, w.retryAt = digest, w.engine.o.Now().Add(retryAfter)
	w.forget()
}

// forget has the source return the same files once more.
func (w *watcher) forget() {
	if fetched, ok := w.engine.source.(*address); ok {
		fetched.forget()
	}
}

// resume brings a kept generation back into force.
func (w *watcher) resume(ctx context.Context, last Info) *Failure {
	ctx, cancel := context.WithTimeout(ctx, activationTimeout)
	defer cancel()
	g, failure := w.engine.restore(ctx, last)
	if failure != nil && failure.Step == StepSignature && last.Source == Embedded {
		g, failure = w.engine.own(ctx, last)
	}
	if failure != nil {
		w.engine.o.Logger.Error("policy that was active can't be used again", failure.fields()...)
		return failure
	}
	w.engine.swap(g)
	return nil
}

// checkAny refuses a source without rules before its absence is taken for a
// change.
func checkAny(files bundle.Snapshot) error {
	_, err := policy.Files(files, false)
	return err
}

func (w *watcher) run(ctx context.Context) {
	poll := time.NewTicker(w.engine.o.Poll)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-poll.C:
			w.look(ctx)
		}
	}
}

// look reads the source once and activates what is new in it.
func (w *watcher) look(ctx context.Context) {
	w.lookAtKeys()
	files, err := w.read(ctx)
	if errors.Is(err, errUnchanged) || ctx.Err() != nil {
		w.readable()
		return
	}
	if err != nil {
		w.unreadable(err)
		return
	}
	w.readable()
	if digest := files.Digest(); w.due(digest) {
		w.activate(ctx, files, digest)
	}
}

// due reports whether the source holds something to activate.
func (w *watcher) due(digest string) bool {
	e := w.engine
	e.activating.Lock()
	defer e.activating.Unlock()
	same, again := digest == e.kept.state.SourceDigest && e.kept.state.Source == e.o.Source, w.again
	w.again = false
	switch {
	case same && again:
		return true
	case same:
		w.pending = ""
	case digest == e.Active().Digest:
		w.pending = ""
		e.setProblem(problem{wanted: e.Revision()})
		w.looked(digest, nil)
		w.seen(digest)
	case digest == w.failed && e.o.Now().Before(w.retryAt):
		w.forget() // else its next reads are errUnchanged
	case e.source.trust() != Bundled && digest != w.pending:
		w.pending = digest
	default:
		return true
	}
	return false
}

// lookAtKeys has files that were refused for their signature looked at once more when there are
// other keys.
func (w *watcher) lookAtKeys() {
	e := w.engine
	now := e.trusted.Load()
	if w.trusted == now {
		return
	}
	w.trusted = now
	e.activating.Lock()
	defer e.activating.Unlock()
	if refused := e.kept.state.Refused; refused != nil && refused.Step == StepSignature {
		w.again = true
		w.forget()
	}
}

// unreadable notes that the source can't be read.
func (w *watcher) unreadable(err error) {
	if w.unread != nil {
		return
	}
	e := w.engine
	e.activating.Lock()
	defer e.activating.Unlock()
	w.unread, w.before = &Failure{StepRead, err}, e.problem()
	e.o.Metrics.failures.WithLabelValues(StepRead).Inc()
	e.report(problem{failure: w.unread})
}

// readable notes that the source can be read again. If its files are those of
// before, nothing else clears the problem; if an admin activated others meanwhile,
// the problem of before is gone too.
func (w *watcher) readable() {
	if w.unread == nil {
		return
	}
	e := w.engine
	e.activating.Lock()
	defer e.activating.Unlock()
	if e.problem().failure == w.unread {
		e.setProblem(w.before)
	}
	w.unread = nil
	e.o.Logger.Info("policy source can be read again", zap.String("source", e.o.Source))
}

// activate activates what the source holds.
func (w *watcher) activate(ctx context.Context, files bundle.Snapshot, digest string) {
	ctx, cancel := context.WithTimeout(ctx, activationTimeout)
	defer cancel()
	e, g := w.engine, new(Generation)
	from, failure := e.fromNow(ctx)
	if failure == nil && w.othersDid(digest) {
		return
	}
	if failure == nil {
		g, failure = e.weigh(ctx, from, w.request(files))
	}
	e.activating.Lock()
	defer e.activating.Unlock()
	if failure == nil {
		failure = e.put(ctx, from, g, w.request(files), digest)
	}
	if failure == nil {
		w.activated(g, digest)
		return
	}
	e.o.Metrics.failures.WithLabelValues(failure.Step).Inc()
	if errors.Is(failure, ErrMeanwhile) || errors.Is(failure, context.Canceled) {
		w.forget() // it is looked at again, or at the next start
		return
	}
	wanted := g.Revision
	if wanted == "" {
		wanted = wantedOf(files)
	}
	e.report(problem{wanted: wanted, failure: failure})
	if failure.lasting() {
		w.looked(digest, failure)
		return
	}
	w.retryLater(digest)
}

// othersDid reports whether another sidecar activated what the source holds; what came after
// that stands.
func (w *watcher) othersDid(digest string) bool {
	e := w.engine
	e.activating.Lock()
	defer e.activating.Unlock()
	shared := e.kept.shared
	if shared == nil || !shared.isLast(held{e.o.Source, digest}) {
		return false
	}
	w.looked(digest, nil)
	return true
}

// activated notes what became of the files of the source: they are active, or wait.
func (w *watcher) activated(g *Generation, digest string) {
	if g.Held != nil {
		w.engine.setProblem(problem{wanted: g.Revision})
	}
	w.looked(digest, nil)
}

func (w *watcher) request(files bundle.Snapshot) Request {
	return Request{Files: files, Source: w.engine.o.Source, Actor: ByService, Trust: w.engine.source.trust(), Confirm: w.engine.record}
}

// looked notes what the source holds: it is not activated again. failure says
// why it was refused, nil when it was not.
func (w *watcher) looked(digest string, failure *Failure) {
	var refused *refusal
	if failure != nil {
		refused = &refusal{w.engine.problem().wanted, failure.Step, failure.Err.Error()}
	}
	if err := w.engine.kept.look(w.engine.o.Source, digest, refused); err != nil {
		w.engine.o.Logger.Error("state of the policy source not kept", zap.Error(err))
	}
}

// seen has the other sidecars know that the source holds what is active.
func (w *watcher) seen(digest string) {
	k, from := w.engine.kept, held{w.engine.o.Source, digest}
	if k.shared == nil || k.shared.isLast(from) {
		return
	}
	if err := k.shared.save(k.state, nil, from); err != nil {
		w.engine.o.Logger.Error("state of the policy source not shared", zap.Error(err))
	}
}

// wantedOf names files that have no revision, "" when there are none.
func wantedOf(files bundle.Snapshot) string {
	if files == nil {
		return ""
	}
	return files.Digest()[:32]
}
