package policy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/metrics"
	"github.com/open-policy-agent/opa/v1/rego"
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
	decision document
	mask     document
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
	compiler, err := Compile(modules)
	if err != nil {
		return nil, err
	}
	if err := checkDecision(compiler); err != nil {
		return nil, fmt.Errorf("compiling policy: %w", err)
	}
	e := &Evaluator{compiler: compiler, sources: sources, revision: revision(sources)}
	if e.decision, err = prepare(compiler, entrypoint); err != nil {
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
// must fail closed.
func (e *Evaluator) Decide(ctx context.Context, in Input) (Decision, error) {
	return e.DecideValue(ctx, in.Value())
}

// DecideValue is Decide for an input that did not come from this program and
// may have any shape.
func (e *Evaluator) DecideValue(ctx context.Context, input ast.Value) (Decision, error) {
	return e.decide(ctx, input)
}

// TraceValue is DecideValue with the steps of the evaluation. A trace costs
// several times as much as the decision.
func (e *Evaluator) TraceValue(ctx context.Context, input ast.Value) (Decision, []*topdown.Event, error) {
	tracer := topdown.NewBufferTracer()
	d, err := e.decide(ctx, input, rego.EvalQueryTracer(tracer))
	return d, *tracer, err
}

func (e *Evaluator) decide(ctx context.Context, input ast.Value, options ...rego.EvalOption) (Decision, error) {
	result, err := e.decision.eval(ctx, input, options...)
	if err != nil {
		return Decision{}, fmt.Errorf("%w: %w", ErrNoDecision, err)
	}
	if result == nil {
		return Decision{}, fmt.Errorf("%w: %s %w", ErrNoDecision, Entrypoint, ErrUndefined)
	}
	d, err := decodeDecision(result)
	if err != nil {
		return Decision{}, fmt.Errorf("%w: %w: %w", ErrNoDecision, ErrMalformed, err)
	}
	return d, nil
}

// document is a document of a policy, prepared to be evaluated.
type document struct{ query rego.PreparedEvalQuery }

func prepare(compiler *ast.Compiler, path ast.Ref) (document, error) {
	query, err := rego.New(
		rego.Compiler(compiler),
		rego.ParsedQuery(ast.NewBody(ast.NewExpr(ast.NewTerm(path)))),
		rego.StrictBuiltinErrors(true),
		rego.GenerateJSON(func(value *ast.Term, _ *rego.EvalContext) (any, error) { return value.Value, nil }),
	).PrepareForEval(context.Background())
	if err != nil {
		return document{}, fmt.Errorf("preparing %s: %w", path, err)
	}
	return document{query}, nil
}

// eval returns the document's value, nil when it is undefined.
func (d document) eval(ctx context.Context, input ast.Value, options ...rego.EvalOption) (ast.Value, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	results, err := d.query.Eval(ctx, append(options,
		rego.EvalParsedInput(input),
		rego.EvalExternalCancel(contextCancel{ctx}), // without it, each evaluation starts a goroutine
		rego.EvalMetrics(metrics.NoOp()),
	)...)
	switch {
	case topdown.IsCancel(err):
		return nil, errors.Join(ctx.Err(), err)
	case err != nil:
		return nil, fmt.Errorf("evaluating: %w", err)
	case len(results) == 0:
		return nil, nil
	}
	return results[0].Expressions[0].Value.(ast.Value), nil
}

// contextCancel ends an evaluation with its context.
type contextCancel struct{ ctx context.Context }

func (c contextCancel) Cancel() {}

func (c contextCancel) Cancelled() bool { return c.ctx.Err() != nil }

// Interface guards
var _ topdown.Cancel = contextCancel{}
