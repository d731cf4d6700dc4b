package opa

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/sidecar/activation"
)

// record records a decision that was asked for as a document, and returns the id of its
// record, "" for none.
func (s *server) record(g *activation.Generation, begin time.Time, input ast.Value, result any) (string, error) {
	asked := decisionlog.Entry{At: begin, Took: time.Since(begin), Evaluator: g.Evaluator}
	facts, err := ast.JSON(input)
	if err == nil {
		err = recast(facts, &asked.Input)
	}
	if err == nil {
		err = recast(result, &asked.Decision)
	}
	if err != nil {
		return "", fmt.Errorf("recording a decision: %w", err)
	}
	return s.policy.Asked(asked)
}

// recast reads a document into what it is one of.
func recast(document, into any) error {
	text, err := json.Marshal(document)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}
