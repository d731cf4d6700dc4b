package policy

import (
	"context"
	"errors"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
)

func TestAnyDocumentOfThePolicyIsEvaluated(t *testing.T) {
	e := embeddedEvaluator(t)
	input := admissible().Value()
	for _, tt := range []struct {
		path  string
		input ast.Value
		want  string // "" for undefined
	}{
		{"data.svc.project.role", input, `"owner"`},
		{"data.svc.limits.problem", input, ""},
		{"data.svc.key.problem.reason", nil, `"invalid"`},
		{"data.svc.nothing", input, ""},
		{"data.svc.reasons.denied.status", input, "403"},
	} {
		document, err := prepare(e.compiler, ast.MustParseRef(tt.path))
		if err != nil {
			t.Fatal(err)
		}
		got, err := document.eval(t.Context(), tt.input, nil)
		if err != nil {
			t.Errorf("%s: %v", tt.path, err)
			continue
		}
		text := ""
		if got != nil {
			text = got.String()
		}
		if text != tt.want {
			t.Errorf("%s: got %q, want %q", tt.path, text, tt.want)
		}
	}
	if d, err := e.DecideValue(t.Context(), nil); err != nil || d.Rule != "key.invalid" {
		t.Errorf("a decision without an input: %+v, %v", d, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.decision.eval(ctx, input, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestSourcesAreTheRulesWithoutTests(t *testing.T) {
	sources := embeddedEvaluator(t).Sources()
	if len(sources) != 6 || sources["svc/authz/authz.rego"] == "" {
		t.Errorf("%d sources", len(sources))
	}
}

func TestWhyThereIsNoDecisionCanBeAsked(t *testing.T) {
	for text, want := range map[string]error{
		`json.unmarshal("{}") if input.action == "other"`: ErrUndefined,
		`json.unmarshal("{}")`:                            ErrMalformed,
	} {
		e, err := NewEvaluator(oneFile("package svc.authz\n\ndecision := " + text + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Decide(t.Context(), admissible()); !errors.Is(err, want) || !errors.Is(err, ErrNoDecision) {
			t.Errorf("%s: got %v, want %v", text, err, want)
		}
	}
}
