package policy

import (
	"fmt"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
)

// truths are rules that conditions name, of which some have no value but true.
const truths = `
yes if input.action == "status"

no := false if input.action == "status"

default by_default := false

by_default if input.action == "status"

always if true

either if input.action == "status"
either if input.action == "events"

chained if {
	input.action == "status"
} else if {
	input.action == "events"
}

turned if {
	input.action == "status"
} else := false if {
	input.action == "events"
}

word := "x" if input.action == "status"

nothing := null

set contains input.action if input.action == "status"

of(x) if x == input.action
`

// TestAConditionThatIsARulesNameHoldsAsForOPA: those of rules that are true or undefined are
// evaluated in another way.
func TestAConditionThatIsARulesNameHoldsAsForOPA(t *testing.T) {
	for _, name := range []string{"yes", "no", "by_default", "always", "either", "chained", "turned", "word", "nothing", "set", "set.status", `of("status")`, "input.key.active"} {
		for _, form := range []string{"%s", "not %s", `%s with input.action as "status"`, `not %s with input.action as "events"`, "every x in [1] { %s; x == 1 }", "count([1 | %s]) == 1"} {
			condition := fmt.Sprintf(form, name)
			text := "package svc.authz\n" + truths + `
decision := {"allow": true, "status": 200, "error": "", "rule": "r", ` + noLimits + "} if {\n\t" + condition + "\n} else := " +
				`{"allow": false, "status": 403, "error": "No.", "rule": "r", ` + noLimits + "}\n"
			modules, err := parse(map[string]string{"svc/authz/authz.rego": text})
			if err != nil {
				t.Fatal(err)
			}
			compiler := ast.NewCompiler().WithDefaultRegoVersion(ast.RegoV1)
			if compiler.Compile(modules); compiler.Failed() {
				t.Fatalf("%s: %v", condition, compiler.Errors)
			}
			query, err := rego.New(rego.Compiler(compiler), rego.Query(Entrypoint+".allow")).PrepareForEval(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			decision, err := prepare(sayingTrue(t, text), entrypoint)
			if err != nil {
				t.Fatal(err)
			}
			for _, action := range []string{"status", "events", "files"} {
				input := ast.NewObject(member("action", ast.StringTerm(action)))
				want, err := query.Eval(t.Context(), rego.EvalParsedInput(input))
				if err != nil {
					t.Fatal(err)
				}
				value, err := decision.eval(t.Context(), input, nil)
				if err != nil {
					t.Fatal(err)
				}
				if got := value.(ast.Object).Get(ast.StringTerm("allow")).Value; got != ast.Value(ast.Boolean(want[0].Expressions[0].Value.(bool))) {
					t.Errorf("%s for %s: %v, and for OPA %v", condition, action, got, want[0].Expressions[0].Value)
				}
			}
		}
	}
}

// sayingTrue compiles a policy as NewEvaluator does, without its checks.
func sayingTrue(t *testing.T, text string) *ast.Compiler {
	t.Helper()
	modules, err := parse(map[string]string{"svc/authz/authz.rego": text})
	if err != nil {
		t.Fatal(err)
	}
	compiler := ast.NewCompiler().WithDefaultRegoVersion(ast.RegoV1)
	if compiler.Compile(modules); compiler.Failed() {
		t.Fatal(compiler.Errors)
	}
	sayTrue(compiler)
	return compiler
}

// TestConditionsThatNameRulesCostLess: a poll takes fifteen allocations less.
func TestConditionsThatNameRulesCostLess(t *testing.T) {
	poll := admissible()
	poll.Action, poll.Usage = ActionStatus, nil
	input := poll.Value()
	e := embeddedEvaluator(t)
	allocations := func(d document) float64 {
		return testing.AllocsPerRun(200, func() {
			if _, err := d.eval(t.Context(), input, nil); err != nil {
				t.Fatal(err)
			}
		})
	}
	if before, now := allocations(e.written), allocations(e.decision); now > before-12 {
		t.Errorf("%g allocations, and %g as it is written", now, before)
	}
}
