package verify

import (
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// where defines the rules that conditions refer to, and those that these refer to.
func (w *wording) where() []string {
	var lines []string
	seen := map[*ast.Rule]bool{}
	define := func(name string, rule *ast.Rule) {
		if !seen[rule] && !contradicts(rule.Body) {
			lines = append(lines, w.definition(name, rule))
		}
		seen[rule] = true
	}
	for i := 0; i < len(w.asked); i++ {
		ref, err := ast.ParseRef(w.asked[i])
		if err != nil {
			continue
		}
		// A reference to a part of a rule, or to what has it as a part, is one to the rule.
		for _, name := range slices.Sorted(maps.Keys(w.support)) {
			if made, err := ast.ParseRef(name); err == nil && (ref.HasPrefix(made) || made.HasPrefix(ref)) {
				for _, rule := range w.support[name] {
					define(name, rule)
				}
			}
		}
		for _, rule := range w.compiler.GetRulesDynamicWithOpts(ref, ast.RulesOptions{IncludeHiddenModules: true}) {
			define(rule.Path().String(), rule)
		}
	}
	return lines
}

// contradicts reports whether a body asks for a condition without variables and for its
// opposite: it never holds, and stems from a branch of an else.
func contradicts(body ast.Body) bool {
	return slices.ContainsFunc(body, func(e *ast.Expr) bool {
		return e.Negated && !localVariable.MatchString(e.String()) && slices.ContainsFunc(body, e.Complement().Equal)
	})
}

// definition writes a rule, and what it is where it does not hold: its else.
func (w *wording) definition(name string, rule *ast.Rule) string {
	w.begin()
	head := name
	if !w.exact {
		head = "data." + strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(name, "data."), "partial."), "svc.")
	}
	if rule.Default {
		head = "default " + head
	}
	ref := rule.Head.Ref()
	for _, part := range ref[len(constant(ref)):] { // the keys of an object
		head += "[" + w.term(part) + "]"
	}
	arguments := w.arguments(rule)
	text := head + arguments + w.value(rule) + whereMark + w.conjunction(rule.Body)
	for branch := rule.Else; branch != nil; branch = branch.Else {
		w.sameArguments(rule, branch)
		text += "; else"
		if own := w.arguments(branch); own != arguments {
			text += own
		}
		text += w.value(branch) + " if " + w.conjunction(branch.Body)
	}
	return text
}

func (w *wording) arguments(rule *ast.Rule) string {
	if len(rule.Head.Args) == 0 {
		return ""
	}
	return "(" + w.list(rule.Head.Args) + ")"
}

func (w *wording) value(rule *ast.Rule) string {
	switch {
	case rule.Head.Key != nil:
		return " contains " + w.term(rule.Head.Key)
	case rule.Head.Value != nil && (w.exact || !rule.Head.Value.Equal(ast.BooleanTerm(true))):
		return " = " + w.term(rule.Head.Value)
	}
	return ""
}

// sameArguments gives the arguments of a branch, which OPA's compiler names anew, the names
// of the rule's.
func (w *wording) sameArguments(rule, branch *ast.Rule) {
	for i := range min(len(rule.Head.Args), len(branch.Head.Args)) {
		name, isVar := rule.Head.Args[i].Value.(ast.Var)
		own, alsoVar := branch.Head.Args[i].Value.(ast.Var)
		if isVar && alsoVar && isLocal(own) && w.locals[own] == "" {
			w.locals[own] = w.variable(name)
		}
	}
}
