package policy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/metrics"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// Entrypoint is the one rule that is asked.
const Entrypoint = "data.svc.authz.decision"

// entrypoint is Entrypoint as OPA reads it.
var entrypoint = ast.MustParseRef(Entrypoint)

// Evaluator answers inputs by one immutable revision of a policy. It is safe
// for concurrent use.
type Evaluator struct {
	compiler *ast.Compiler
	decision document // quicker than written, the same in every case
	written  document // the decision as it is written, for traces
	mask     document
	revision string
	sources  map[string]string
	masks    bool
	reads    Reads
	// attributes says that attributes of projects are read.
	attributes bool
}

// NewEvaluator prepares the policy of src, its *.rego files without tests.
// An error names file and line.
func NewEvaluator(src fs.FS) (*Evaluator, error) {
	sources, err := readTexts(src, false)
	if err != nil {
		return nil, err
	}
	modules, err := parse(sources)
	if err != nil {
		return nil, err
	}
	compiler, err := Compile(modules)
	if err != nil {
		return nil, err
	}
	if err := checkDecision(compiler); err != nil {
		return nil, fmt.Errorf("compiling policy: %w", err)
	}
	e := &Evaluator{compiler: compiler, sources: sources, revision: revision(sources)}
	e.reads, e.attributes = readsOf(compiler)
	if e.written, err = prepare(compiler, entrypoint); err != nil {
		return nil, err
	}
	quick, err := Compile(modules) // others read the first one
	if err != nil {
		return nil, err
	}
	sayTrue(quick)
	if e.decision, err = prepare(quick, entrypoint); err != nil {
		return nil, err
	}
	if e.mask, err = prepare(compiler, maskPath); err != nil {
		return nil, err
	}
	e.masks = len(compiler.GetRulesForVirtualDocument(maskPath)) > 0
	return e, nil
}

// Revision names the policy: a hash of its sources without tests.
func (e *Evaluator) Revision() string { return e.revision }

// Compiler returns the compiled policy, for readers that evaluate it in a way
// of their own. It must not be changed.
func (e *Evaluator) Compiler() *ast.Compiler { return e.compiler }

// Sources returns the texts of the policy's files by path, tests left out.
func (e *Evaluator) Sources() map[string]string { return maps.Clone(e.sources) }

// Decide evaluates the policy. Every error wraps ErrNoDecision: the caller
// must fail closed. What the policy reads of no request costs nothing.
func (e *Evaluator) Decide(ctx context.Context, in Input) (Decision, error) {
	if e.reads == 0 {
		in.Request = nil
	}
	return e.decide(ctx, in.term(), nil)
}

// Reads returns what decisions depend on of the request.
func (e *Evaluator) Reads() Reads { return e.reads }

// ReadsAttributes reports whether decisions depend on attributes of projects.
func (e *Evaluator) ReadsAttributes() bool { return e.attributes }

// DecideValue is Decide for an input that did not come from this program and
// may have any shape.
func (e *Evaluator) DecideValue(ctx context.Context, input ast.Value) (Decision, error) {
	return e.decide(ctx, termOf(input), nil)
}

// TraceValue is DecideValue with the steps of the evaluation. A trace costs
// several times as much as the decision.
func (e *Evaluator) TraceValue(ctx context.Context, input ast.Value) (Decision, []*topdown.Event, error) {
	tracer := topdown.NewBufferTracer()
	d, err := e.decide(ctx, termOf(input), tracer)
	return d, *tracer, err
}

func (e *Evaluator) decide(ctx context.Context, input *ast.Term, tracer topdown.QueryTracer) (Decision, error) {
	asked := e.decision
	if tracer != nil {
		asked = e.written
	}
	value, err := asked.evalTerm(ctx, input, tracer)
	if err != nil {
		return Decision{}, fmt.Errorf("%w: %w", ErrNoDecision, err)
	}
	if value == nil {
		return Decision{}, fmt.Errorf("%w: %s %w", ErrNoDecision, Entrypoint, ErrUndefined)
	}
	d, err := decodeDecision(value)
	if err != nil {
		return Decision{}, fmt.Errorf("%w: %w: %w", ErrNoDecision, ErrMalformed, err)
	}
	d.Reads = e.reads
	return d, nil
}

// document is a document of a policy, prepared to be evaluated. It uses OPA's topdown
// as rego.PreparedEvalQuery does, without the options that no decision has and with
// ruleValues.
type document struct {
	compiler      *ast.Compiler
	queryCompiler ast.QueryCompiler
	query         ast.Body
	store         storage.Store       // empty: a policy has no data but its rules
	txn           storage.Transaction // one reads for all evaluations, as nobody writes
}

// result is the variable of a document's query.
const result = ast.Var("result")

func prepare(compiler *ast.Compiler, path ast.Ref) (document, error) {
	d := document{compiler: compiler, queryCompiler: compiler.QueryCompiler(), store: inmem.New()}
	var err error
	d.query, err = d.queryCompiler.Compile(ast.NewBody(ast.Equality.Expr(ast.NewTerm(result), ast.NewTerm(path))))
	if err == nil {
		d.txn, err = d.store.NewTransaction(context.Background())
	}
	if err != nil {
		return document{}, fmt.Errorf("preparing %s: %w", path, err)
	}
	return d, nil
}

// eval returns the document's value, nil when it is undefined. input and tracer may be nil.
func (d document) eval(ctx context.Context, input ast.Value, tracer topdown.QueryTracer) (ast.Value, error) {
	return d.evalTerm(ctx, termOf(input), tracer)
}

// termOf is nil where there is no input.
func termOf(input ast.Value) *ast.Term {
	if input == nil {
		return nil
	}
	return ast.NewTerm(input)
}

func (d document) evalTerm(ctx context.Context, input *ast.Term, tracer topdown.QueryTracer) (ast.Value, error) {
	if tracer != nil { // it may keep paths of rules
		return d.evalWith(ctx, input, tracer, newEvaluation(newRuleValues()))
	}
	used := spare.Get().(*spared)
	value, err := d.evalWith(ctx, input, nil, used.evaluation)
	used.reset()
	spare.Put(used)
	return value, err
}

func (d document) evalWith(ctx context.Context, input *ast.Term, tracer topdown.QueryTracer, e *evaluation) (ast.Value, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	query := topdown.NewQuery(d.query).
		WithQueryCompiler(d.queryCompiler).
		WithCompiler(d.compiler).
		WithStore(d.store).
		WithTransaction(d.txn).
		WithCancel(e).
		WithMetrics(metrics.NoOp()).
		WithBaseCache(noData{}).
		WithVirtualCache(e.values).
		WithRequestMetadata(noMetadata).
		WithStrictBuiltinErrors(true)
	if input != nil {
		query = query.WithInput(input)
	}
	if tracer != nil {
		query = query.WithQueryTracer(tracer)
	}
	e.ctx = ctx
	err := query.Iter(ctx, e.found)
	switch {
	case topdown.IsCancel(err):
		return nil, errors.Join(ctx.Err(), err)
	case err != nil:
		return nil, fmt.Errorf("evaluating: %w", err)
	}
	return e.value, nil
}

// noMetadata is what nobody says of a request to builtins: OPA makes a map where it has none.
var noMetadata = map[string]any{}

// noData is the cache of a policy that has no data but its rules.
type noData struct{}

func (noData) Get(ast.Ref) ast.Value { return nil }

func (noData) Put(ast.Ref, ast.Value) {}

// Interface guards
var _ topdown.BaseCache = noData{}
