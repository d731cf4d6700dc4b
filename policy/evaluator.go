package policy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

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
//
// It uses OPA's topdown package, on which OPA's rego and sdk packages build.
// sdk shares a tracker between concurrent evaluations of a prepared query and
// must not be used; rego starts a goroutine for each evaluation, or allocates
// twice as much without it.
type Evaluator struct {
	compiler      *ast.Compiler
	query         ast.Body
	queryCompiler ast.QueryCompiler
	// A policy has no data but its rules, so the store is empty and one
	// transaction serves all.
	store    storage.Store
	txn      storage.Transaction
	caches   sync.Pool // of *ruleCache
	revision string
	sources  map[string]string
	masks    bool
}

// NewEvaluator prepares the policy that is part of the program.
func NewEvaluator() (*Evaluator, error) { return NewEvaluatorFS(Embedded()) }

// NewEvaluatorFS prepares the policy of src, its *.rego files without tests.
// An error names file and line.
func NewEvaluatorFS(src fs.FS) (*Evaluator, error) {
	modules, err := ReadModules(src, false)
	if err != nil {
		return nil, err
	}
	sources, err := readTexts(src, modules)
	if err != nil {
		return nil, err
	}
	e, err := NewEvaluatorModules(modules)
	if err != nil {
		return nil, err
	}
	e.sources, e.revision = sources, revision(sources)
	return e, nil
}

// NewEvaluatorModules prepares a policy that is parsed already, tests left
// out. Its revision is empty.
func NewEvaluatorModules(modules Modules) (*Evaluator, error) {
	compiler, err := Compile(modules)
	if err != nil {
		return nil, err
	}
	if err := checkDecision(compiler); err != nil {
		return nil, fmt.Errorf("compiling policy: %w", err)
	}
	e := &Evaluator{compiler: compiler, queryCompiler: compiler.QueryCompiler(), store: inmem.New()}
	e.masks = len(compiler.GetRulesForVirtualDocument(maskPath)) > 0
	e.caches.New = func() any { return new(ruleCache) }
	// The query needs some member of the decision, not the decision: that one
	// is in the rule cache, and bound to a variable it would be built again.
	member := entrypoint.Append(nameRule)
	e.query, err = e.queryCompiler.Compile(ast.NewBody(ast.Equality.Expr(ast.VarTerm("rule"), ast.NewTerm(member))))
	if err != nil {
		return nil, fmt.Errorf("preparing policy: %w", err)
	}
	if e.txn, err = e.store.NewTransaction(context.Background()); err != nil {
		return nil, fmt.Errorf("preparing policy: %w", err)
	}
	return e, nil
}

// Revision names the policy: a hash of its sources without tests.
func (e *Evaluator) Revision() string { return e.revision }

// Decide evaluates the policy. Every error wraps ErrNoDecision: the caller
// must fail closed.
func (e *Evaluator) Decide(ctx context.Context, in Input) (Decision, error) {
	return e.DecideValue(ctx, in.Value())
}

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
	result, err := e.eval(ctx, input, tracer)
	if err != nil {
		return Decision{}, fmt.Errorf("%w: %w", ErrNoDecision, err)
	}
	d, err := decodeDecision(result.Value)
	if err != nil {
		return Decision{}, fmt.Errorf("%w: %w: %w", ErrNoDecision, ErrMalformed, err)
	}
	return d, nil
}

// eval returns the value of the entrypoint.
func (e *Evaluator) eval(ctx context.Context, input ast.Value, tracer topdown.QueryTracer) (*ast.Term, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	cache := e.caches.Get().(*ruleCache)
	defer func() {
		cache.reset()
		e.caches.Put(cache)
	}()
	query := topdown.NewQuery(e.query).
		WithQueryCompiler(e.queryCompiler).
		WithCompiler(e.compiler).
		WithStore(e.store).
		WithTransaction(e.txn).
		WithInput(ast.NewTerm(input)).
		WithCancel(contextCancel{ctx}).
		WithMetrics(metrics.NoOp()).
		WithVirtualCache(cache).
		WithBaseCache(noBaseCache{}).
		WithRequestMetadata(noMetadata).
		WithStrictBuiltinErrors(true)
	if tracer != nil {
		query = query.WithQueryTracer(tracer)
	}
	err := query.Iter(ctx, func(topdown.QueryResult) error { return nil })
	result, _ := cache.Get(entrypoint)
	switch {
	case topdown.IsCancel(err):
		return nil, errors.Join(ctx.Err(), err)
	case err != nil:
		return nil, fmt.Errorf("evaluating: %w", err)
	case result == nil:
		return nil, fmt.Errorf("%s %w", Entrypoint, ErrUndefined)
	}
	return result, nil
}

// noMetadata is shared by all evaluations; only builtins that a policy can't
// call read or write it.
var noMetadata = map[string]any{}

// contextCancel ends an evaluation with its context.
type contextCancel struct{ ctx context.Context }

func (c contextCancel) Cancel() {}

func (c contextCancel) Cancelled() bool { return c.ctx.Err() != nil }

// noBaseCache caches nothing of an empty store.
type noBaseCache struct{}

func (noBaseCache) Get(ast.Ref) ast.Value { return nil }

func (noBaseCache) Put(ast.Ref, ast.Value) {}

var (
	_ topdown.Cancel    = contextCancel{}
	_ topdown.BaseCache = noBaseCache{}
)
