package verify

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/test/long"
)

// prove fails the test for every step that is not ok, and holds the verification to 30 s of
// one processor, of which the shipped policy takes a quarter: the clock would measure what
// else runs.
func prove(t *testing.T, src fs.FS) {
	t.Helper()
	before := processorTime(t)
	v, err := Policy(t.Context(), src, func(Step) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range v.Steps {
		if step.Outcome != OK {
			t.Errorf("%s %s: %s", step.Name, step.Outcome, strings.Join(step.Findings, "\n"))
		}
	}
	if len(v.Steps) != 9 || v.Passed() == t.Failed() {
		t.Errorf("%d steps, passed %t", len(v.Steps), v.Passed())
	}
	if took := processorTime(t) - before; took > 30*time.Second && budgetPercent == 100 {
		t.Errorf("the verification took %s of a processor", took)
	}
}

func TestEmbeddedPolicyIsProven(t *testing.T) { prove(t, policy.Embedded()) }

// processorTime is what this process has used.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// Which decisions the example changes, TestDocumentedExampleShowsItsDiff checks. None
// of the shipped table is among them.
func TestExampleReadersIsProven(t *testing.T) {
	example, err := bundle.ReadDir(os.DirFS(policytest.Example(t)))
	if err != nil {
		t.Fatal(err)
	}
	table := documentedTable(t, example)
	for line := range strings.Lines(string(example[TableFile])) {
		if !strings.Contains(table, line) {
			t.Errorf("the example changes a decision of the shipped table: %s", line)
		}
	}
	example[TableFile] = []byte(table)
	prove(t, example)
}

// TestEveryExampleIsProven has the other examples, whose tables are written when someone
// follows docs/policy.md.
func TestEveryExampleIsProven(t *testing.T) {
	long.Only(t)
	for _, name := range []string{"suspended", "board", "hours", "addresses"} {
		t.Run(name, func(t *testing.T) {
			example, err := bundle.ReadDir(os.DirFS(policytest.ExampleOf(t, name)))
			if err != nil {
				t.Fatal(err)
			}
			e, err := policy.NewEvaluator(example)
			if err != nil {
				t.Fatal(err)
			}
			projects, err := ReadProjects(example)
			if err != nil {
				t.Fatal(err)
			}
			table, err := NewTable(t.Context(), e, projects)
			if err != nil {
				t.Fatal(err)
			}
			example[TableFile] = []byte(table.String())
			prove(t, example)
		})
	}
}

// TestPolicyOfAFormerVersionIsProven verifies what an operator may have copied from
// commit 84ec793: other Rego, and no budget of its own.
func TestPolicyOfAFormerVersionIsProven(t *testing.T) {
	file, err := os.Open("testdata/policy_84ec793.tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	former, err := bundle.ReadArchive(file)
	if err != nil {
		t.Fatal(err)
	}
	if former[CostFile] != nil {
		t.Errorf("it has a %s", CostFile)
	}
	prove(t, former)
}

// TestTableOfFewerActionsIsProven verifies a policy that was written before there were
// models to list.
func TestTableOfFewerActionsIsProven(t *testing.T) {
	former, err := bundle.ReadDir(policy.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	without := strings.NewReplacer(`, "models.list"`, "", "\t\"models.list\",\n", "")
	for name, text := range former {
		former[name] = []byte(without.Replace(string(text)))
	}
	var table strings.Builder
	header, _, _ := strings.Cut(string(former[TableFile]), "\n")
	models := slices.Index(strings.Split(header, "\t"), string(policy.ActionListModels))
	for line := range strings.Lines(string(former[TableFile])) {
		table.WriteString(strings.Join(slices.Delete(strings.Split(line, "\t"), models, models+1), "\t"))
	}
	former[TableFile] = []byte(table.String())
	prove(t, former)
}

// TestATableWithFewerRowsIsThatOfAFormerVersion: what was proven before decisions had a target,
// and before the table had facts in pairs, stays proven, and nothing else does.
func TestATableWithFewerRowsIsThatOfAFormerVersion(t *testing.T) {
	e, err := policy.NewEvaluator(smallPolicy(t))
	if err != nil {
		t.Fatal(err)
	}
	table, err := NewTable(t.Context(), e, nil)
	if err != nil {
		t.Fatal(err)
	}
	for since, unknown := range map[int][]policy.Action{2: {policy.ActionReadOthersKeys, policy.ActionChangeOthersKeys}, 3: nil} {
		before := slices.DeleteFunc(slices.Clone(table), func(row Row) bool { return row.since >= since })
		golden := before.tsv(slices.DeleteFunc(slices.Clone(tableActions), func(a policy.Action) bool { return slices.Contains(unknown, a) }))
		if len(before) == len(table) || !table.former(golden) {
			t.Errorf("%d: %d rows of %d are no table of a former version", since, len(before), len(table))
		}
		if lacking := before[1:].String(); table.former(lacking) {
			t.Errorf("%d: a table that lacks a row is taken for one of a former version", since)
		}
	}
}

func TestEachDefectFailsInItsOwnStep(t *testing.T) {
	prove(t, smallPolicy(t))
	replace := func(file, old, new string) func(fstest.MapFS) {
		return func(src fstest.MapFS) {
			text := string(src[file].Data)
			if !strings.Contains(text, old) {
				t.Fatalf("%s does not contain %q", file, old)
			}
			src[file] = &fstest.MapFile{Data: []byte(strings.Replace(text, old, new, 1))}
		}
	}
	const labelled = "\n# METADATA\n# labels:\n#   rule: more\n"
	for _, tt := range []struct {
		name   string
		change func(fstest.MapFS)
		step   string
		find   string
	}{
		{"parse error", add(rulesFile, "\nmore := {\n"), StepParse, rulesFile + ":30"},
		{"not formatted", replace(rulesFile, "\tinput.action", "  input.action"), StepFormat, rulesFile},
		{"data beside the rules", func(src fstest.MapFS) {
			src["svc/data.json"] = &fstest.MapFile{Data: []byte(`{"owner": "user-1"}`)}
		}, StepCompile, "svc/data.json: a policy has no data"},
		{"a misspelt member in the table's projects", func(src fstest.MapFS) {
			src[ProjectsFile] = &fstest.MapFile{Data: []byte(`[{"owner": "user-1"}]`)}
		}, StepTable, `reading table.json: json: unknown field "owner"`},
		{"conflict", add(rulesFile, "\ndefault decision := {}\n\ndefault decision := {}\n"), StepCompile, rulesFile + ":3"},
		{"no entrypoint", replace(rulesFile, "decision := {", "verdict := {"), StepCompile, policy.Entrypoint},
		{"forbidden builtin", replace(rulesFile, `input.action == "status"`, `time.now_ns() > 0`), StepCompile, rulesFile + ":14"},
		{"misspelt fact", replace(rulesFile, "input.action", "input.acton"), StepCompile, rulesFile + ":14"},
		{"misspelt rule", replace(testsFile, "authz.decision", "authz.decisio"), StepCompile, testsFile + ":9"},
		{"misspelt member of the decision", replace(rulesFile, `"allow": true`, `"alow": true`), StepCompile, rulesFile + ":7"},
		{"no label", replace(rulesFile, "# labels:\n#   rule: unlimited\n", ""), StepMetadata, rulesFile},
		{"a permission without a label", replace(rulesFile, "# labels:\n#   rule: decision\n", ""), StepMetadata, rulesFile + ":5: rule decision has no METADATA"},
		{"failing test", replace(testsFile, `"action": "files"`, `"action": "status"`), StepTests, testsFile + ":12"},
		{"no tests", func(src fstest.MapFS) { delete(src, testsFile) }, StepTests, "_test.rego"},
		{"rule without a test", add(rulesFile, labelled+"more if input.action == \"generate\"\n"), StepCoverage, rulesFile + ":32"},
		{"mistake that no test notices", replace(testsFile, "expected := {\"allow\": false, \"status\": 403, \"error\": \"No.\", \"limits\": limits, \"rule\": \"denied\"}\n\tauthz.decision == expected", "authz.decision.status == 403"),
			StepMutants, rulesFile + `:15: no test notices this change: ` + rulesFile + ` decision: in "allow" turn false into true`},
		{"reason that is not needed", add(AllowFile, "x = y\n"), StepMutants, AllowFile},
		{"changed table", replace(TableFile, "\tdenied", "\tallowed"), StepTable, TableFile + ":2"},
		{"no table", func(src fstest.MapFS) { delete(src, TableFile) }, StepTable, TableFile},
		{"a budget that is none", func(src fstest.MapFS) {
			src[CostFile] = &fstest.MapFile{Data: []byte(`{"poll": 0}`)}
		}, StepCost, "a budget must be positive"},
		{"a budget of its own", func(src fstest.MapFS) {
			src[CostFile] = &fstest.MapFile{Data: []byte(`{"poll": 10}`)}
		}, StepCost, "its budget is 10"},
		{"cost", costly(t), StepCost, "allocations"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := smallPolicy(t)
			src[AllowFile] = &fstest.MapFile{}
			tt.change(src)
			v, err := Policy(t.Context(), src, func(Step) {})
			if err != nil {
				t.Fatal(err)
			}
			failed := slices.IndexFunc(v.Steps, func(s Step) bool { return s.Outcome == Failed })
			if failed < 0 || v.Passed() {
				t.Fatalf("nothing failed: %+v", v.Steps)
			}
			step := v.Steps[failed]
			if step.Name != tt.step || !strings.Contains(strings.Join(step.Findings, "\n"), tt.find) {
				t.Errorf("%s failed: %s; want %s to fail with %q", step.Name, strings.Join(step.Findings, "\n"), tt.step, tt.find)
			}
		})
	}
}

// costly returns a change that makes decisions expensive and alters none.
func costly(t *testing.T) func(fstest.MapFS) {
	return func(src fstest.MapFS) {
		rules := strings.Replace(string(src[rulesFile].Data), `"status": 200`, `"status": count([[x] | some x in numbers.range(1, 200)])`, 1)
		src[rulesFile] = &fstest.MapFile{Data: []byte(rules)}
		writeTable(t, src) // the numbers are rows of it
	}
}

func TestBudgetAboveTheUsualOneNeedsAReasonThatIsPrinted(t *testing.T) {
	for cost, want := range map[string]struct{ outcome, says string }{
		`{"poll": 400}`:                      {Failed, "needs a reason"},
		`{"poll": 400, "reason": " "}`:       {Failed, "needs a reason"},
		`{"poll": 400, "reason": "ranges."}`: {OK, "of 400, submission"},
		`{"poll": 220, "submission": 360}`:   {OK, "of 220, submission"},
	} {
		src := smallPolicy(t)
		src[CostFile] = &fstest.MapFile{Data: []byte(cost)}
		e, err := policy.NewEvaluator(src)
		if err != nil {
			t.Fatal(err)
		}
		summary, findings := (&verifier{ctx: t.Context(), src: src, evaluator: e}).cost()
		outcome := OK
		if len(findings) > 0 {
			outcome, summary = Failed, strings.Join(findings, "\n")
		}
		if outcome != want.outcome || !strings.Contains(summary, want.says) || strings.Contains(cost, "ranges") != strings.HasSuffix(summary, "; ranges.") {
			t.Errorf("%s: %s: %s", cost, outcome, summary)
		}
	}
}

func TestRefusalThatNamesItsRuleNeedsNoLabel(t *testing.T) {
	src := smallPolicy(t)
	add(rulesFile, "\nrefusal := {\"status\": 403, \"error\": \"No.\", \"rule\": \"denied\"}\n")(src)
	v, err := Policy(t.Context(), src, func(Step) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range v.Steps {
		if step.Name == StepMetadata && step.Outcome != OK {
			t.Errorf("%s is %s: %s", step.Name, step.Outcome, step.Findings)
		}
	}
}

// add returns a change that appends text to a file.
func add(file, text string) func(fstest.MapFS) {
	return func(src fstest.MapFS) {
		src[file] = &fstest.MapFile{Data: append(slices.Clone(src[file].Data), text...)}
	}
}

// TestConflictThatOnlySomeInputHasIsFoundInTheTable: the second is reached by two facts alone,
// which no row has singly.
func TestConflictThatOnlySomeInputHasIsFoundInTheTable(t *testing.T) {
	for _, condition := range []string{
		"input.usage.jobsToday == 5", `input.key.labels.team == "arcade"; input.key.userAttributes.plan == "school"`,
		`input.key.userState == "suspended"; input.key.scopes == ["read", "full"]`,
	} {
		conflictIsFound(t, condition)
	}
}

func conflictIsFound(t *testing.T, condition string) {
	t.Helper()
	src := smallPolicy(t)
	rules := smallRules + `
decision := {
	"allow": false,
	"status": 403,
	"error": "No.",
	"limits": unlimited,
	"rule": "other",
} if {
	` + strings.ReplaceAll(condition, "; ", "\n\t") + `
}
`
	src[rulesFile] = &fstest.MapFile{Data: []byte(rules)}
	v, err := Policy(t.Context(), src, func(Step) {})
	if err != nil {
		t.Fatal(err)
	}
	table := v.Steps[slices.IndexFunc(v.Steps, func(s Step) bool { return s.Name == StepTable })]
	if table.Outcome != Failed || !strings.Contains(table.Findings[0], "no decision") || !strings.Contains(table.Findings[0], "conflict") {
		t.Errorf("%s: got %s, %v", condition, table.Outcome, table.Findings)
	}
}

func TestFailedTestAndUncoveredRuleAreReported(t *testing.T) {
	src := smallPolicy(t)
	src[rulesFile] = &fstest.MapFile{Data: []byte(smallRules + "\nother := 2\n")}
	src[testsFile] = &fstest.MapFile{Data: []byte(smallTests + `
test_cases[name] if {
	some name, n in {"right": 200, "wrong": 403}
	authz.decision.status == n with input as {"action": "status"}
}
`)}
	report, err := RunTests(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	passed := map[string]bool{}
	for _, test := range report.Tests {
		passed[test.Name] = test.Passed
	}
	for name, want := range map[string]bool{
		"data.svc.authz_test.test_status":      true,
		"data.svc.authz_test.test_cases/right": true,
		"data.svc.authz_test.test_cases/wrong": false,
	} {
		if got, ran := passed[name]; !ran || got != want {
			t.Errorf("%s: ran %t, passed %t; want passed %t", name, ran, got, want)
		}
	}
	if report.Passed() {
		t.Error("a report with a failed test passed")
	}
	if report.Coverage == 100 || !slices.Equal(report.Uncovered, []string{rulesFile + ":29"}) {
		t.Errorf("coverage %.1f %%, uncovered %v; want %s:29", report.Coverage, report.Uncovered, rulesFile)
	}
}
