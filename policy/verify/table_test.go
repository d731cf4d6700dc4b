package verify

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"

	"github.com/svc-games/svc/policy"
)

func embeddedTable(t *testing.T) Table {
	t.Helper()
	e, err := policy.NewEvaluator(policy.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	table, err := NewTable(t.Context(), e, nil)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// reads reports whether a project's attribute names the user as a reader.
func reads(user, owner string) bool {
	_, readers, _ := strings.Cut(owner, " readers=")
	return slices.Contains(strings.Split(readers, ","), user)
}

// documentedRule is the specification, the example's readers included, written without
// the policy.
func documentedRule(f Facts, action policy.Action) string {
	key, spelling, _ := strings.Cut(f.Key, " action ")
	if spelling != "" {
		action = "teleport"
	}
	key, _, _ = strings.Cut(key, " no request")
	key, _, _ = strings.Cut(key, " ip=")
	key, _, _ = strings.Cut(key, " target's ")
	key, _, _ = strings.Cut(key, " label ")
	key, scopes, _ := strings.Cut(key, " scopes=")
	key, userState, _ := strings.Cut(key, " userState=")
	key, via, _ := strings.Cut(key, " via=")
	state, _, _ := strings.Cut(key, " id=")
	known := f.User != "null" && f.User != `""` && f.User != "-"
	suspended := userState != "" && userState != policy.UserActive
	if state == "-" && known && !suspended && (via == policy.ViaConsole || via == policy.ViaAdmin) {
		return documentedKeyless(f, via, action)
	}
	switch {
	case state == policy.KeyRevoked, state == policy.KeyDisabled:
		return "key." + state
	case suspended:
		return "user.suspended"
	case scopes != "" && !slices.Contains(allowedByScope[scopes], action) && !slices.Contains(allowedByScope[scopes], "*"):
		return "key.scope"
	case state != policy.KeyActive || !known:
		return "key.invalid"
	}
	reading := false
	switch action {
	case policy.ActionAuthenticate, policy.ActionCreateProject, policy.ActionListProjects, policy.ActionListModels,
		policy.ActionListJobs:
		return "allowed"
	case policy.ActionReadConsole, policy.ActionReadKeys, policy.ActionCreateKey, policy.ActionChangeKey,
		policy.ActionReadOthersKeys, policy.ActionChangeOthersKeys, policy.ActionAdminRead, policy.ActionAdminWrite:
		return "denied"
	case "teleport":
		return "action.unknown"
	case policy.ActionGetProject, policy.ActionProjectJobs, policy.ActionAnalytics, policy.ActionStatus,
		policy.ActionEvents, policy.ActionStreamToken, policy.ActionFiles:
		reading = true
	}
	switch {
	case !ownedBy(f.User, f.Owner) && !reads(f.User, f.Owner):
		return "project.forbidden"
	case !ownedBy(f.User, f.Owner) && !reading:
		return "project.read_only"
	case action == policy.ActionPreview, action == policy.ActionSetAttributes:
		return "denied"
	case action != policy.ActionGenerate:
		return "allowed"
	}
	return documentedLimits[f.Usage]
}

// allowedByScope are what keys with scopes may do; "*" is everything.
var allowedByScope = map[string][]policy.Action{
	"[full]": {"*"}, "[read,full]": {"*"},
	"[read]": {
		policy.ActionAuthenticate, policy.ActionListProjects, policy.ActionGetProject, policy.ActionProjectJobs, policy.ActionListModels,
		policy.ActionListJobs, policy.ActionAnalytics, policy.ActionReadWebhooks, policy.ActionStudioRead, policy.ActionStatus, policy.ActionEvents,
		policy.ActionStreamToken, policy.ActionFiles,
	},
}

// documentedKeyless is documentedRule for a known user without a key.
func documentedKeyless(f Facts, via string, action policy.Action) string {
	owned, read := ownedBy(f.User, f.Owner), reads(f.User, f.Owner)
	console := via == policy.ViaConsole
	allowedIf := func(is bool) string {
		if is {
			return "allowed"
		}
		return "denied"
	}
	switch action {
	case "teleport":
		return "action.unknown"
	case policy.ActionReadConsole, policy.ActionReadKeys, policy.ActionCreateKey, policy.ActionChangeKey, policy.ActionListProjects:
		return allowedIf(console)
	case policy.ActionAdminRead, policy.ActionAdminWrite:
		return allowedIf(via == policy.ViaAdmin)
	case policy.ActionAuthenticate, policy.ActionCreateProject, policy.ActionListModels, policy.ActionListJobs,
		policy.ActionReadOthersKeys, policy.ActionChangeOthersKeys:
		return "denied"
	}
	reading, owning := false, false
	switch action {
	case policy.ActionGetProject, policy.ActionAnalytics, policy.ActionStatus, policy.ActionEvents, policy.ActionFiles, policy.ActionPreview:
		reading = true
	case policy.ActionSetAttributes, policy.ActionPublish, policy.ActionUnpublish, policy.ActionReadWebhooks, policy.ActionWriteWebhooks:
		owning = true
	}
	switch {
	case !console || !owned && !read:
		return "project.forbidden"
	case !owned && !reading:
		return "project.read_only"
	case reading || owning:
		return "allowed"
	case action == policy.ActionGenerate:
		return "limits.unknown"
	}
	return "denied"
}

// ownedBy reports whether a project's owner, attributes and id left out, is the user.
func ownedBy(user, owner string) bool {
	rest, ok := strings.CutPrefix(owner, user)
	return ok && (rest == "" || strings.HasPrefix(rest, " ") && strings.Contains(rest, "="))
}

// documentedLimits are the rules that decide about submissions by the owner.
var documentedLimits = map[string]string{
	"below": "allowed", "unlimited": "allowed",
	"day reached": "limits.jobs_per_day", "month reached": "limits.jobs_per_month",
	"running reached": "limits.max_concurrent_jobs", "TIK reached": "limits.tik_per_month",
	"all reached": "limits.jobs_per_day", "all passed": "limits.jobs_per_day", // the first of those that are reached
	"no limits": "allowed", "malformed": "limits.unknown", "null": "limits.unknown",
}

// documentedStatus is the status that goes with a rule.
func documentedStatus(rule string) int {
	switch {
	case rule == "allowed":
		return 200
	case strings.HasPrefix(rule, "key.") && rule != "key.scope":
		return 401
	case strings.HasPrefix(rule, "limits.") && rule != "limits.unknown":
		return 429
	}
	return 403
}

// documentedTable is the table that a policy ought to have.
func documentedTable(t *testing.T, src fs.FS) string {
	t.Helper()
	e, err := policy.NewEvaluator(src)
	if err != nil {
		t.Fatal(err)
	}
	projects, err := ReadProjects(src)
	if err != nil {
		t.Fatal(err)
	}
	table, err := NewTable(t.Context(), e, projects)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range table {
		for i, action := range tableActions {
			row.Cells[i] = Cell{Action: action, Decision: policy.Decision{Rule: documentedRule(row.Facts, action)}}
		}
	}
	return table.String()
}

func TestEveryCombinationOfFactsGetsTheDocumentedStatus(t *testing.T) {
	for _, row := range embeddedTable(t) {
		for _, cell := range row.Cells {
			rule := documentedRule(row.Facts, cell.Action)
			if cell.Err != nil || cell.Decision.Rule != rule || cell.Decision.Status != documentedStatus(rule) {
				t.Errorf("%s: status %d by rule %s, %v; want %d by %s",
					row.with(cell.Action), cell.Decision.Status, cell.Decision.Rule, cell.Err, documentedStatus(rule), rule)
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
