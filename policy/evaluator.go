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
	return e.DecideValue(ctx, in.Value())
}

// Reads returns what decisions depend on of the request.
func (e *Evaluator) Reads() Reads { return e.reads }

// ReadsAttributes reports whether decisions depend on attributes of projects.
func (e *Evaluator) ReadsAttributes() bool { return e.attributes }

// DecideValue is Decide for an input that did not come from this program and
// may have any shape.
func (e *Evaluator) DecideValue(ctx context.Context, input ast.Value) (Decision, error) {
	return e.decide(ctx, input, nil)
}

// TraceValue is DecideValue with the steps of the evaluation. A trace costs
// several times as much as the decision.
func (e *Evaluator) TraceValue(ctx context.Context, input ast.Value) (Decision, []*topdown.Event, error) {
	tracer := topdown.NewBufferTracer()
	d, err := e.decide(ctx, input, tracer)
	return d, *tracer, err
}

func (e *Evaluator) decide(ctx context.Context, input ast.Value, tracer topdown.QueryTracer) (Decision, error) {
	asked := e.decision
	if tracer != nil {
		asked = e.written
	}
	value, err := asked.eval(ctx, input, tracer)
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

// eval returns the document's value, nil when it is undefined. tracer may be nil.
func (d document) eval(ctx context.Context, input ast.Value, tracer topdown.QueryTracer) (ast.Value, error) {
	if tracer != nil { // it may keep paths of rules
		return d.evalWith(ctx, input, tracer, newRuleValues())
	}
	values := spare.Get().(*ruleValues)
	value, err := d.evalWith(ctx, input, nil, values)
	values.reset()
	spare.Put(values)
	return value, err
}

// evalWith is eval with the values of rules kept in values.
func (d document) evalWith(ctx context.Context, input ast.Value, tracer topdown.QueryTracer, values topdown.VirtualCache) (ast.Value, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	query := topdown.NewQuery(d.query).
		WithQueryCompiler(d.queryCompiler).
		WithCompiler(d.compiler).
		WithStore(d.store).
		WithTransaction(d.txn).
		WithCancel(contextCancel{ctx}).
		WithMetrics(metrics.NoOp()).
		WithBaseCache(noData{}).
		WithVirtualCache(values).
		WithStrictBuiltinErrors(true)
	if input != nil {
		query = query.WithInput(ast.NewTerm(input))
	}
	if tracer != nil {
		query = query.WithQueryTracer(tracer)
	}
	var value ast.Value
	err := query.Iter(ctx, func(found topdown.QueryResult) error {
		value = found[result].Value
		return nil
	})
	switch {
	case topdown.IsCancel(err):
		return nil, errors.Join(ctx.Err(), err)
	case err != nil:
		return nil, fmt.Errorf("evaluating: %w", err)
	}
	return value, nil
}

// noData is the cache of a policy that has no data but its rules.
type noData struct{}

func (noData) Get(ast.Ref) ast.Value { return nil }

func (noData) Put(ast.Ref, ast.Value) {}

// contextCancel ends an evaluation with its context.
type contextCancel struct{ ctx context.Context }

func (c contextCancel) Cancel() {}

func (c contextCancel) Cancelled() bool { return c.ctx.Err() != nil }

// Interface guards
var (
	_ topdown.Cancel    = contextCancel{}
	_ topdown.BaseCache = noData{}
)
