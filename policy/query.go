package policy

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// Compiler returns the compiled policy, for readers that evaluate it in a way
// of their own. It must not be changed.
func (e *Evaluator) Compiler() *ast.Compiler { return e.compiler }

// Sources returns the texts of the policy's files by path, tests left out. It
// is empty for an evaluator made of modules.
func (e *Evaluator) Sources() map[string]string { return maps.Clone(e.sources) }

// Query returns the value of the document at path, for example
// data.svc.limits.effective, or nil when it is undefined. A nil input is
// undefined, too. Unlike Decide it reads nothing into the value.
func (e *Evaluator) Query(ctx context.Context, path ast.Ref, input ast.Value) (ast.Value, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	const name = "value"
	// A compiler of queries keeps notes, so each query gets its own.
	compiler := e.compiler.QueryCompiler()
	body, err := compiler.Compile(ast.NewBody(ast.Equality.Expr(ast.VarTerm(name), ast.NewTerm(path))))
	if err != nil {
		return nil, fmt.Errorf("preparing %s: %w", path, err)
	}
	query := topdown.NewQuery(body).
		WithQueryCompiler(compiler).
		WithCompiler(e.compiler).
		WithStore(e.store).
		WithTransaction(e.txn).
		WithCancel(contextCancel{ctx}).
		WithStrictBuiltinErrors(true)
	if input != nil {
		query = query.WithInput(ast.NewTerm(input))
	}
	results, err := query.Run(ctx)
	switch {
	case topdown.IsCancel(err):
		return nil, errors.Join(ctx.Err(), err)
	case err != nil:
		return nil, fmt.Errorf("evaluating %s: %w", path, err)
	case len(results) == 0:
		return nil, nil
	}
	return results[0][ast.Var(name)].Value, nil
}
