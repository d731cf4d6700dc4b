package policy

import (
	"context"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// evaluation is one evaluation of a document: it ends with its context.
type evaluation struct {
	ctx    context.Context
	values topdown.VirtualCache // of rules
	value  ast.Value            // of the document, nil until it is found
	found  func(topdown.QueryResult) error
}

func newEvaluation(values topdown.VirtualCache) *evaluation {
	e := &evaluation{values: values}
	e.found = func(r topdown.QueryResult) error {
		e.value = r[result].Value
		return nil
	}
	return e
}

// Cancel implements topdown.Cancel.
func (e *evaluation) Cancel() {}

// Cancelled implements topdown.Cancel.
func (e *evaluation) Cancelled() bool { return e.ctx.Err() != nil }

// spared is an evaluation that is used again.
type spared struct {
	*evaluation
	rules *ruleValues
}

// spare holds evaluations that are over.
var spare = sync.Pool{New: func() any {
	rules := newRuleValues()
	return &spared{newEvaluation(rules), rules}
}}

// reset forgets what was found, and for whom.
func (s *spared) reset() {
	s.rules.reset()
	s.ctx, s.value = context.Background(), nil
}

// Interface guards
var _ topdown.Cancel = (*evaluation)(nil)
