package activation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/policy/verify"
)

// Request asks for a policy to be activated.
type Request struct {
	Files bundle.Snapshot
	// Source names where the files come from, Actor who asks.
	Source, Actor string
	// Trust is what the origin of the files exempts them from.
	Trust Trust
	// Older accepts a sequence below the highest that was active before, this
	// once.
	Older bool
	// Confirm may be nil.
	Confirm Confirm
}

// Confirm is called when every step is passed; an error ends the activation. from is what
// next was compared with, without a number for none.
type Confirm func(ctx context.Context, from, next Info) error

// ask calls c, if there is one.
func (c Confirm) ask(ctx context.Context, from, next Info) *Failure {
	if c == nil {
		return nil
	}
	if err := c(ctx, from, next); err != nil {
		return &Failure{StepConfirm, err}
	}
	return nil
}

// warmUpTimeout is what a decision may take, facts not included.
const warmUpTimeout = 50 * time.Millisecond

// Activate takes a policy through all steps and makes it the active one, or where it
// must wait puts it into shadow: it is then Held. Its error is a *Failure, and the
// active policy stays what it was.
func (e *Engine) Activate(ctx context.Context, r Request) (Info, error) {
	ctx, cancel := context.WithTimeout(ctx, activationTimeout)
	defer cancel()
	from, failure := e.fromNow(ctx)
	if failure != nil {
		return Info{}, failure
	}
	g, failure := e.weigh(ctx, from, r)
	e.activating.Lock()
	defer e.activating.Unlock()
	if failure == nil {
		failure = e.put(ctx, from, g, r, e.kept.state.SourceDigest)
	}
	if failure != nil {
		return Info{}, e.o.Metrics.failed(failure)
	}
	return g.Info, nil
}

// activateLocked is Activate for a start, at which nobody else changes anything;
// sourceDigest names what the source holds, which the watcher does not activate again.
func (e *Engine) activateLocked(ctx context.Context, r Request, sourceDigest string) (*Generation, *Failure) {
	ctx, cancel := context.WithTimeout(ctx, activationTimeout)
	defer cancel()
	from := e.from()
	g, failure := e.weigh(ctx, from, r)
	if failure == nil {
		failure = e.put(ctx, from, g, r, sourceDigest)
	}
	if failure != nil {
		e.o.Metrics.failures.WithLabelValues(failure.Step).Inc()
	}
	return g, failure
}

// weigh takes a policy through the steps that change nothing. One at a time, as each takes
// a core.
func (e *Engine) weigh(ctx context.Context, from base, r Request) (*Generation, *Failure) {
	e.weighing.Lock()
	defer e.weighing.Unlock()
	g, failure := e.prepare(ctx, r, from.floor)
	if failure == nil {
		g.Held, failure = e.mustWait(ctx, from, g, r)
	}
	if failure != nil && ctx.Err() != nil {
		failure = &Failure{failure.Step, fmt.Errorf("%w: %w", errCut, ctx.Err())}
	}
	return g, failure
}

// put confirms, keeps and swaps, or holds.
func (e *Engine) put(ctx context.Context, from base, g *Generation, r Request, sourceDigest string) *Failure {
	if e.mark() != from.mark {
		return &Failure{StepKeep, ErrMeanwhile}
	}
	if err := ctx.Err(); err != nil {
		return &Failure{StepKeep, fmt.Errorf("%w: %w", errCut, err)}
	}
	g.Number = e.kept.state.next()
	g.ActivatedAt = e.o.Now().UTC().Truncate(time.Millisecond)
	g.ActivatedBy = r.Actor
	if g.Held != nil {
		return e.hold(ctx, from, g, r, sourceDigest)
	}
	if failure := r.Confirm.ask(ctx, from.was, g.Info); failure != nil {
		return failure
	}
	if err := e.kept.add(g.Info, r.Files, sourceDigest); err != nil {
		return &Failure{StepKeep, err}
	}
	e.swap(g)
	return nil
}

// prepare takes a policy through the steps up to its first decision; floor is the lowest
// sequence that it may have.
func (e *Engine) prepare(ctx context.Context, r Request, floor int64) (*Generation, *Failure) {
	g := &Generation{Info: Info{Digest: r.Files.Digest(), Source: r.Source, trust: r.Trust}}
	if err := e.checkSignature(r.Files, r.Trust); err != nil {
		return g, &Failure{StepSignature, err}
	}
	manifest, err := r.Files.Manifest()
	if err != nil {
		return g, &Failure{StepCompile, err}
	}
	g.Sequence = manifest.Metadata.Sequence
	if err := checkSequence(r, g.Sequence, floor); err != nil {
		return g, &Failure{StepSequence, err}
	}
	return g, e.prove(ctx, g, r.Files)
}

// prove compiles a policy, tests it and has it decide. The policy of the
// program was proven when the program was built, and one that is kept may have been before.
func (e *Engine) prove(ctx context.Context, g *Generation, files bundle.Snapshot) *Failure {
	if err := policy.CheckNoData(files); err != nil {
		return &Failure{StepCompile, err}
	}
	var err error
	if g.Evaluator, err = policy.NewEvaluator(files); err != nil {
		return &Failure{StepCompile, err}
	}
	g.Revision = g.Evaluator.Revision()
	if g.trust != BuiltIn && g.ProvenBy != prover() {
		if failure := e.o.proof(ctx, g.Evaluator, files); failure != nil {
			return failure
		}
		g.ProvenBy = prover()
	}
	return warmUp(ctx, g.Evaluator)
}

// testAndCheck is the longest part of an activation.
func testAndCheck(ctx context.Context, e *policy.Evaluator, files bundle.Snapshot) *Failure {
	if failure := runTests(ctx, files); failure != nil {
		return failure
	}
	return checkTable(ctx, e, files)
}

// checkSignature checks the signature where a key is given, unless the policy is
// part of the program. A signature without a key to check it with is refused: its
// author meant it to be checked.
func (e *Engine) checkSignature(files bundle.Snapshot, trust Trust) error {
	keys := e.trusted.Load().keys
	switch {
	case trust == BuiltIn || e.o.Unsigned:
		return nil
	case len(keys) > 0:
		return files.Verify(keys)
	case files.Signed():
		return errors.New("the policy is signed and the service has no key to check it with: set the option key of policy, or SVC_POLICY_KEY")
	}
	return nil
}

// checkSequence refuses a sequence below the highest that was activated: an old
// bundle could be replayed with its valid signature.
func checkSequence(r Request, sequence, floor int64) error {
	switch {
	case r.Older || sequence >= floor:
		return nil
	case sequence == 0 && r.Trust != Bundled:
		return nil
	}
	return fmt.Errorf("the sequence is %d, that of a policy before was %d", sequence, floor)
}

func runTests(ctx context.Context, files bundle.Snapshot) *Failure {
	report, err := verify.RunTests(ctx, files)
	if err != nil {
		return &Failure{StepTests, err}
	}
	if len(report.Tests) == 0 {
		return failed(StepTests, "there are no tests")
	}
	if failures := report.Failures(); len(failures) > 0 {
		return failed(StepTests, failures...)
	}
	return nil
}

func checkTable(ctx context.Context, e *policy.Evaluator, files bundle.Snapshot) *Failure {
	projects, err := verify.ReadProjects(files)
	if err != nil {
		return &Failure{StepTable, err}
	}
	findings, err := verify.Invariants(ctx, e, projects)
	if err != nil {
		return &Failure{StepTable, err}
	}
	if len(findings) > 0 {
		return failed(StepTable, findings...)
	}
	return nil
}

// warmUp has the policy decide once on each kind of request, and mask what the decision log
// would have of it. On a busy machine
// one try may be late through no fault of the policy.
func warmUp(ctx context.Context, e *policy.Evaluator) *Failure {
	for _, in := range []policy.Input{verify.Poll(), verify.Submission()} {
		var err error
		for range 5 {
			if err = decideWithin(ctx, e, in); err == nil {
				break
			}
		}
		if err != nil {
			return &Failure{StepWarmUp, err}
		}
	}
	return nil
}

func decideWithin(ctx context.Context, e *policy.Evaluator, in policy.Input) error {
	ctx, cancel := context.WithTimeout(ctx, warmUpTimeout)
	defer cancel()
	d, err := e.Decide(ctx, in)
	if err != nil {
		return err
	}
	return decisionlog.TryMask(e, in, d)
}

// swap makes g the active generation.
func (e *Engine) swap(g *Generation) {
	e.active.Store(g)
	e.settle(g.Revision)
	e.o.Metrics.activated(g.Info)
	fields := []zap.Field{
		zap.Int64("generation", g.Number), zap.String("revision", g.Revision), zap.Int64("sequence", g.Sequence),
		zap.String("source", g.Source), zap.String("by", g.ActivatedBy),
	}
	if g.Changes != nil {
		fields = append(fields, g.Changes.fields()...)
	}
	e.o.Logger.Info("policy activated", fields...)
	e.mu.Lock()
	listeners := e.onChange
	e.mu.Unlock()
	for _, changed := range listeners {
		changed()
	}
	e.rehearse(context.Background(), nil)
}

// report notes that the source holds something that can't be activated.
func (e *Engine) report(p problem) {
	e.setProblem(p)
	e.logProblem(p)
}

func (e *Engine) logProblem(p problem) {
	fields := append(p.failure.fields(), zap.String("source", e.o.Source))
	if active := e.Active(); active != nil {
		fields = append(fields, zap.String("active_revision", active.Revision))
	}
	e.o.Logger.Error("policy not activated; keeping the last good one", fields...)
}
