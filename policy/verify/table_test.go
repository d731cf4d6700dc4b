package verify

import (
	"fmt"
	"slices"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"

	"github.com/svc-games/svc/policy"
)

func embeddedTable(t *testing.T) Table {
	t.Helper()
	e, err := policy.NewEvaluator()
	if err != nil {
		t.Fatal(err)
	}
	table, err := NewTable(t.Context(), e, nil)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// documentedStatus is the specification, written without the policy.
func documentedStatus(f Facts, action policy.Action) int {
	if f.Key != policy.KeyActive || f.User != "user-1" {
		return 401
	}
	switch action {
	case policy.ActionAuthenticate, policy.ActionCreateProject, policy.ActionListProjects:
		return 200
	case "teleport":
		return 403
	}
	generate := action == policy.ActionGenerate
	switch {
	case f.Owner != "user-1", generate && (f.Usage == "malformed" || f.Usage == "null"):
		return 403
	case generate && f.Usage != "below":
		return 429
	}
	return 200
}

func TestEveryCombinationOfFactsGetsTheDocumentedStatus(t *testing.T) {
	for _, row := range embeddedTable(t) {
		for _, cell := range row.Cells {
			if want := documentedStatus(row.Facts, cell.Action); cell.Err != nil || cell.Decision.Status != want {
				t.Errorf("key %s, user %s, owner %s, usage %s, %s: status %d by rule %s, %v; want %d",
					row.Key, row.User, row.Owner, row.Usage, cell.Action, cell.Decision.Status, cell.Decision.Rule, cell.Err, want)
			}
		}
	}
}

// TestEvaluatorDecidesLikeOPA compares the evaluator, with its own reading of the
// result, to OPA's ordinary way.
func TestEvaluatorDecidesLikeOPA(t *testing.T) {
	modules, err := policy.ReadModules(policy.Embedded(), false)
	if err != nil {
		t.Fatal(err)
	}
	compiler, err := policy.Compile(modules)
	if err != nil {
		t.Fatal(err)
	}
	query, err := rego.New(rego.Compiler(compiler), rego.Query(policy.Entrypoint), rego.StrictBuiltinErrors(true)).
		PrepareForEval(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range embeddedTable(t) {
		for j, cell := range row.Cells {
			if (i+j)%5 != 0 {
				continue // the others take long and show the same
			}
			results, err := query.Eval(t.Context(), rego.EvalParsedInput(row.input(cell.Action)))
			if err != nil || len(results) != 1 {
				t.Fatalf("%s: %d results, %v", cell.Action, len(results), err)
			}
			want := results[0].Expressions[0].Value.(map[string]any)
			got := cell.Decision
			if fmt.Sprint(want["status"]) != fmt.Sprint(got.Status) || want["rule"] != got.Rule || want["error"] != got.Error {
				t.Errorf("%+v, %s: got %+v, OPA says %v", row.Facts, cell.Action, got, want)
			}
		}
	}
}

func TestMutantsAreTheSlipsOfAHand(t *testing.T) {
	module, err := ast.ParseModuleWithOpts("x.rego", `package x

a := {"n": 1} if {
	input.x == "s"
	not input.y
	input.z < 2
	input.k in {"p", "q"}
} else := [b, true]

b if count([c | some c in input.l; c != null]) > 0
`, ast.ParserOptions{RegoVersion: ast.RegoV1})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for n := 0; ; n++ {
		m, ok := mutate(module.Copy(), n)
		if !ok {
			break
		}
		got = append(got, m.place+" "+m.rule+": "+m.change)
	}
	for _, want := range []string{
		`x.rego:3 a: remove the rule`,
		`x.rego:3 a: in "n" turn 1 into 11`,
		`x.rego:4 a: remove equal(input.x, "s")`,
		`x.rego:4 a: negate equal(input.x, "s")`,
		`x.rego:4 a: turn equal(input.x, "s") into neq`,
		`x.rego:4 a: turn "s" into "s_"`,
		`x.rego:5 a: negate not input.y`,
		`x.rego:6 a: turn lt(input.z, 2) into lte`,
		`x.rego:7 a: remove "p" from the set`,
		`x.rego:8 a: remove else`,
		`x.rego:8 a: swap else [b, true] with what is before it`,
		`x.rego:8 a: swap b and true`,
		`x.rego:8 a: turn true into false`,
		`x.rego:10 b: turn neq(c, null) into equal`,
		`x.rego:10 b: turn null into false`,
	} {
		if !slices.Contains(got, want) {
			t.Errorf("there is no mutant %q", want)
		}
	}
	if t.Failed() {
		for _, name := range got {
			t.Log(name)
		}
	}
}
