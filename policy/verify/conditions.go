package verify

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"

	"github.com/svc-games/svc/policy"
)

// allowed is the rule whose conditions are compared, and the decision's member that
// stands in for it in a policy without that rule.
const (
	allowed         = "data.svc.authz.allow"
	allowedDecision = policy.Entrypoint + ".allow"
)

// Which policies have a condition.
const (
	Both = "both"
	Old  = "old"
	New  = "new"
)

// Condition is one way for allow to hold, or one rule that conditions refer to.
type Condition struct {
	In   string `json:"in"` // Both, Old or New
	Text string `json:"text"`

	exact string // equal where conditions are, however they read
}

// String marks what one policy alone has.
func (c Condition) String() string {
	switch c.In {
	case Old:
		return "- " + c.Text
	case New:
		return "+ " + c.Text
	}
	return "  " + c.Text
}

// compareConditions compares the conditions under which two policies allow.
func compareConditions(ctx context.Context, from, to fs.FS) ([]Condition, error) {
	var sides [2][]Condition
	for i, src := range []fs.FS{from, to} {
		var err error
		if sides[i], err = conditions(ctx, src); err != nil {
			return nil, err
		}
	}
	has := func(side []Condition, c Condition) bool {
		return slices.ContainsFunc(side, func(other Condition) bool { return other.exact == c.exact })
	}
	var all []Condition
	for _, c := range sides[0] {
		c.In = Old
		if has(sides[1], c) {
			c.In = Both
		}
		all = append(all, c)
	}
	for _, c := range sides[1] {
		if !has(sides[0], c) {
			c.In = New
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b Condition) int {
		return cmp.Compare(strings.Count(a.Text, whereMark), strings.Count(b.Text, whereMark))
	})
	return all, nil
}

// conditions returns what remains of the rule allow when nothing is known of the
// input, by OPA's partial evaluation: one line for each way to be allowed, then the
// rules that those refer to.
func conditions(ctx context.Context, src fs.FS) ([]Condition, error) {
	modules, err := policy.ReadModules(src, false)
	if err != nil {
		return nil, err
	}
	flatten(modules)
	compiler := ast.NewCompiler().WithDefaultRegoVersion(ast.RegoV1)
	if compiler.Compile(modules); compiler.Failed() {
		return nil, fmt.Errorf("preparing the conditions: %w", compiler.Errors)
	}
	query := allowedDecision
	if len(compiler.GetRules(ast.MustParseRef(allowed))) > 0 {
		query = allowed
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	remains, err := rego.New(rego.Compiler(compiler), rego.Query(query+" = true"), rego.Unknowns([]string{"input"}),
		rego.DisableInlining(named(modules))).Partial(ctx)
	if err != nil {
		return nil, fmt.Errorf("evaluating the conditions: %w", err)
	}
	readable, exact := newWording(compiler, remains.Support, false), newWording(compiler, remains.Support, true)
	var all []Condition
	for _, body := range remains.Queries {
		all = append(all, Condition{Text: cmp.Or(readable.body(body), "always"), exact: exact.body(body)})
	}
	slices.SortFunc(all, func(a, b Condition) int {
		return cmp.Or(strings.Compare(a.Text, b.Text), strings.Compare(a.exact, b.exact))
	})
	all = slices.Compact(all)
	same := exact.where()
	for i, text := range readable.where() {
		all = append(all, Condition{Text: text, exact: same[i]})
	}
	return all, nil
}

// named returns the rules with one value, which conditions name: each is written once.
func named(modules policy.Modules) (refs []string) {
	for _, module := range modules {
		for _, rule := range module.Rules {
			path := module.Package.Path.Extend(rule.Head.Ref()).String()
			if len(rule.Head.Args) == 0 && rule.Head.Key == nil && path != allowed && path != policy.Entrypoint && !strings.HasPrefix(string(rule.Head.Name), "__") {
				refs = append(refs, path)
			}
		}
	}
	slices.Sort(refs)
	return slices.Compact(refs)
}

// Masks names the rules of two policies that differ and that the mask of the decision log
// reads, by file and line.
func Masks(from, to *policy.Evaluator) []string { return compareRules(from, to, policy.MaskPath) }

// compareRules names the rules of two policies that differ and that a document reads, those
// left out that it reads by way of allow alone.
func compareRules(from, to *policy.Evaluator, document string) []string {
	old, now := rulesBesideAllow(from.Compiler(), document), rulesBesideAllow(to.Compiler(), document)
	var differ []string
	for _, path := range slices.Sorted(maps.Keys(now)) {
		if !slices.Equal(old[path].lines, now[path].lines) {
			differ = append(differ, now[path].place+" "+path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(old)) {
		if _, kept := now[path]; !kept {
			differ = append(differ, old[path].place+" "+path+", which is gone")
		}
	}
	return differ
}

type ruleText struct {
	place string
	lines []string
}

func rulesBesideAllow(compiler *ast.Compiler, document string) map[string]ruleText {
	texts := map[string]ruleText{}
	seen := map[*ast.Rule]bool{}
	var follow func(ast.Ref)
	follow = func(ref ast.Ref) {
		for _, rule := range compiler.GetRulesDynamicWithOpts(ref, ast.RulesOptions{IncludeHiddenModules: true}) {
			path := rule.Path().String()
			if path == allowed || seen[rule] {
				continue
			}
			seen[rule] = true
			name := strings.TrimPrefix(path, "data.")
			place := cmp.Or(texts[name].place, fmt.Sprintf("%s:%d", rule.Location.File, rule.Location.Row))
			texts[name] = ruleText{place, append(texts[name].lines, canonical(rule))}
			ast.WalkRefs(rule, func(r ast.Ref) bool {
				if r.HasPrefix(ast.DefaultRootRef) {
					follow(r)
				}
				return false
			})
		}
	}
	follow(ast.MustParseRef(document))
	for _, text := range texts {
		slices.Sort(text.lines)
	}
	return texts
}

// canonical is a rule's text with the compiler's variables counted from 0.
func canonical(rule *ast.Rule) string {
	names := map[string]string{}
	return localVariable.ReplaceAllStringFunc(rule.String(), func(name string) string {
		if names[name] == "" {
			names[name] = fmt.Sprintf("__local%d__", len(names))
		}
		return names[name]
	})
}
