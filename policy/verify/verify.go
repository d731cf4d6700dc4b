// Package verify proves a policy: what it must pass before it is used, and
// which decisions a change of it changes.
package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
)

// The steps of a verification, in their order.
const (
	StepParse    = "parse"
	StepFormat   = "format"
	StepCompile  = "compile"
	StepMetadata = "metadata"
	StepTests    = "tests"
	StepCoverage = "coverage"
	StepMutants  = "mutants"
	StepTable    = "table"
	StepCost     = "cost"
)

// Step is the outcome of one step.
type Step struct {
	Name string `json:"name"`
	// Outcome is "ok", "failed", or "skipped" after a failure of an earlier
	// step that this one needs.
	Outcome  string        `json:"outcome"`
	Duration time.Duration `json:"durationNs"`
	// Summary says in a few words what was done.
	Summary string `json:"summary,omitempty"`
	// Findings say what is wrong, where, and what to do.
	Findings []string `json:"findings,omitempty"`
}

// The outcomes of a step.
const (
	OK      = "ok"
	Failed  = "failed"
	Skipped = "skipped"
)

// Verification is the outcome of all steps.
type Verification struct {
	Revision string `json:"revision,omitempty"` // empty when it does not compile
	Steps    []Step `json:"steps"`
}

// Passed reports whether every step is ok.
func (v Verification) Passed() bool {
	return !slices.ContainsFunc(v.Steps, func(s Step) bool { return s.Outcome != OK })
}

// Policy verifies the policy in src. report is called after each step. It
// returns an error only when ctx ends.
func Policy(ctx context.Context, src fs.FS, report func(Step)) (Verification, error) {
	v := &verifier{ctx: ctx, src: src}
	for _, step := range []struct {
		name  string
		needs string
		do    func() (summary string, findings []string)
	}{
		{StepParse, "", v.parse},
		{StepFormat, StepParse, v.format},
		{StepCompile, StepParse, v.compile},
		{StepMetadata, StepCompile, v.metadata},
		{StepTests, StepCompile, v.tests},
		{StepCoverage, StepTests, v.coverage},
		{StepMutants, StepTests, v.mutants},
		{StepTable, StepCompile, v.table},
		{StepCost, StepCompile, v.cost},
	} {
		done := Step{Name: step.name, Outcome: Skipped, Summary: "needs " + step.needs}
		if step.needs == "" || v.ok(step.needs) {
			begin := time.Now()
			done.Summary, done.Findings = step.do()
			done.Duration = time.Since(begin)
			done.Outcome = OK
			if len(done.Findings) > 0 {
				done.Outcome = Failed
			}
		}
		if err := ctx.Err(); err != nil {
			return Verification{}, fmt.Errorf("verifying the policy, %s: %w", step.name, err)
		}
		v.done.Steps = append(v.done.Steps, done)
		report(done)
	}
	return v.done, nil
}

// verifier hands the results of earlier steps to later ones.
type verifier struct {
	ctx       context.Context
	src       fs.FS
	modules   policy.Modules
	compiler  *ast.Compiler // of rules and tests
	evaluator *policy.Evaluator
	report    Report
	done      Verification
}

func (v *verifier) ok(name string) bool {
	return slices.ContainsFunc(v.done.Steps, func(s Step) bool { return s.Name == name && s.Outcome == OK })
}

func (v *verifier) parse() (string, []string) {
	var err error
	if v.modules, err = policy.ReadModules(v.src, true); err != nil {
		return "", []string{err.Error()}
	}
	return fmt.Sprintf("%d files", len(v.modules)), nil
}

func (v *verifier) format() (string, []string) {
	unformatted, err := Unformatted(v.src)
	if err != nil {
		return "", []string{err.Error()}
	}
	var findings []string
	for _, path := range slices.Sorted(maps.Keys(unformatted)) {
		findings = append(findings, path+": not formatted; run: svc policy format DIR")
	}
	for _, path := range slices.Sorted(maps.Keys(v.modules)) {
		findings = append(findings, longLines(v.src, path)...)
	}
	return "", findings
}

func (v *verifier) compile() (string, []string) {
	if err := policy.CheckNoData(v.src); err != nil {
		return "", []string{err.Error()}
	}
	var err error
	if v.compiler, err = policy.Compile(v.modules); err != nil {
		return "", []string{err.Error()}
	}
	if v.evaluator, err = policy.NewEvaluator(v.src); err != nil {
		return "", []string{err.Error()}
	}
	v.done.Revision = v.evaluator.Revision()
	return "strict, against the schemas and capabilities; revision " + v.done.Revision, nil
}

// metadata checks what the reviewer relies on to find his way.
func (v *verifier) metadata() (string, []string) {
	var findings []string
	count := 0
	for file, module := range v.modules {
		name := strings.TrimSuffix(strings.TrimPrefix(module.Package.Path.String(), "data."), "_test")
		if dir := path.Dir(file); strings.ReplaceAll(name, ".", "/") != dir {
			findings = append(findings, fmt.Sprintf("%s: holds package %s; move it to the directory of its package", file, name))
		}
		findings = append(findings, style(file, module)...)
		if isTest(file) {
			continue
		}
		for _, rule := range v.compiler.Modules[file].Rules {
			count++
			labels, _ := v.compiler.GetAnnotationSet().MergedLabels(rule)
			if label, _ := labels["rule"].(string); label == "" && !namesItsRule(rule) {
				findings = append(findings, fmt.Sprintf("%s: rule %s has no METADATA with a rule label", rule.Location, rule.Head.Ref()))
			}
		}
	}
	slices.Sort(findings)
	return fmt.Sprintf("%d rules", count), findings
}

// namesItsRule reports whether a rule is a refusal, which has its name for logs
// among its members, and no permission.
func namesItsRule(rule *ast.Rule) bool {
	if rule.Head.Value == nil {
		return false
	}
	refusal, ok := rule.Head.Value.Value.(ast.Object)
	if !ok || refusal.Get(ast.StringTerm("rule")) == nil {
		return false
	}
	allow := refusal.Get(ast.StringTerm("allow"))
	return allow == nil || allow.Value != ast.Value(ast.Boolean(true))
}

func (v *verifier) tests() (string, []string) {
	var err error
	if v.report, err = RunTests(v.ctx, v.src); err != nil {
		return "", []string{err.Error()}
	}
	findings := v.report.Failures()
	if len(v.report.Tests) == 0 {
		findings = []string{"there are no tests; write them beside the rules, in files that end in _test.rego"}
	}
	if d, err := v.evaluator.Decide(v.ctx, Poll()); err == nil { // otherwise the table says so
		if err := decisionlog.TryMask(v.evaluator, Poll(), d); err != nil {
			findings = append(findings, err.Error())
		}
	}
	return fmt.Sprintf("%d tests", len(v.report.Tests)), findings
}

func (v *verifier) coverage() (string, []string) {
	var findings []string
	for _, place := range v.report.Uncovered {
		findings = append(findings, place+": no test evaluates this line; write one")
	}
	return fmt.Sprintf("%.1f %%", v.report.Coverage), findings
}

func (v *verifier) mutants() (string, []string) {
	allowed, err := readAllowed(v.src)
	if err != nil {
		return "", []string{err.Error()}
	}
	count, alive, err := Mutants(v.ctx, v.modules)
	if err != nil {
		return "", []string{err.Error()}
	}
	var findings []string
	needed := map[string]bool{}
	for _, mutant := range alive {
		if allowed[mutant.Name] != "" {
			needed[mutant.Name] = true
			continue
		}
		findings = append(findings, fmt.Sprintf("%s: no test notices this change: %s; write one, or give a reason in %s",
			mutant.Place, mutant.Name, AllowFile))
	}
	for name := range allowed {
		if !needed[name] {
			findings = append(findings, fmt.Sprintf("%s: not needed, remove it: %s", AllowFile, name))
		}
	}
	slices.Sort(findings)
	return fmt.Sprintf("%d mutants, %d of them may live", count, len(needed)), findings
}

func (v *verifier) table() (string, []string) { return CheckTable(v.ctx, v.src, v.evaluator) }

// CheckTable compares the table that a policy carries with that of its rules, which are
// e's. Its findings say where the first differs, or that an input has no decision.
func CheckTable(ctx context.Context, src fs.FS, e *policy.Evaluator) (summary string, findings []string) {
	projects, err := ReadProjects(src)
	if err != nil {
		return "", []string{err.Error()}
	}
	table, cut, err := wholeTable(ctx, e, projects)
	if err != nil {
		return "", []string{err.Error()}
	}
	pairs, cutPairs, err := pairTable(ctx, e, projects)
	if err != nil {
		return "", []string{err.Error()}
	}
	summary = fmt.Sprintf("%d decisions, and %d on pairs of facts", len(table)*len(tableActions), len(pairs)*len(tableActions))
	if cut {
		summary += "; " + cutSingly
	}
	if cutPairs {
		summary += "; " + cutAt(provenPairs)
	}
	for _, row := range append(table[:len(table):len(table)], pairs...) {
		for _, cell := range row.Cells {
			if cell.Err != nil {
				findings = append(findings, fmt.Sprintf("%s: %v; every input must have a decision", row.with(cell.Action), cell.Err))
			}
		}
	}
	golden, err := fs.ReadFile(src, TableFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		findings = append(findings, TableFile+": is missing; write it with: svc policy table DIR --write, and read it")
	case err != nil:
		findings = append(findings, fmt.Sprintf("reading %s: %v", TableFile, err))
	case string(golden) != table.String() && table.former(string(golden)):
		return fmt.Sprintf("%s; %s has the fewer of a former version", summary, TableFile), limited(findings)
	default:
		findings = append(findings, compareText(string(golden), table.String())...)
	}
	return summary, limited(findings)
}

// compareText returns the lines that differ.
func compareText(golden, table string) []string {
	if golden == table {
		return nil
	}
	old, now := strings.Split(golden, "\n"), strings.Split(table, "\n")
	for i := range min(len(old), len(now)) {
		if old[i] != now[i] {
			return []string{fmt.Sprintf("%s:%d: the decisions differ, here from: %s; look at svc policy diff, then write it with: svc policy table DIR --write",
				TableFile, i+1, strings.ReplaceAll(now[i], "\t", " "))}
		}
	}
	return []string{fmt.Sprintf("%s: has %d lines, the table has %d; write it with: svc policy table DIR --write", TableFile, len(old), len(now))}
}

// limited keeps the first findings when many have one cause.
func limited(findings []string) []string {
	const most = 10
	if len(findings) <= most {
		return findings
	}
	return append(findings[:most:most], fmt.Sprintf("and %d more", len(findings)-most))
}
