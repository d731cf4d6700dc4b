package verify

import (
	"fmt"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/svc-games/svc/policy"
)

// flatten writes rules with else or default as rules without, since OPA's partial
// evaluation stops at both: each branch holds where its conditions do and no branch
// before it does. Functions stay what they are.
func flatten(modules policy.Modules) {
	for _, module := range modules {
		module.Annotations = nil // they belong to rules that are no more
		var rules []*ast.Rule
		helpers := map[string][]*ast.Term{} // of each name: what holds where a rule of it does
		var defaults []*ast.Rule
		for i, rule := range module.Rules {
			rule.Annotations = nil
			name := rule.Head.Ref().String()
			switch {
			case len(rule.Head.Args) > 0:
				rules = append(rules, rule)
			case rule.Default:
				defaults = append(defaults, rule)
			default:
				flat, holds := branches(module, rule, fmt.Sprintf("__%d", i))
				rules = append(rules, flat...)
				helpers[name] = append(helpers[name], holds...)
			}
		}
		for _, rule := range defaults {
			rule.Default = false
			rule.Body = nil
			for _, holds := range helpers[rule.Head.Ref().String()] {
				rule.Body.Append(not(holds))
			}
			if len(rule.Body) == 0 {
				rule.Body = ast.NewBody(ast.NewExpr(ast.BooleanTerm(true)))
			}
			rules = append(rules, rule)
		}
		module.Rules = rules
		for _, rule := range rules {
			rule.Module = module
		}
	}
}

// branches returns the branches of a rule, the helpers they need, and references to
// the helpers, one a branch.
func branches(module *ast.Module, rule *ast.Rule, suffix string) (rules []*ast.Rule, holds []*ast.Term) {
	for branch := rule; branch != nil; {
		next := branch.Else
		branch.Else = nil
		name := ast.Var(fmt.Sprintf("__held%s_%d", suffix, len(holds)))
		helper := branch.Copy()
		helper.Head = &ast.Head{
			Name: name, Reference: ast.Ref{ast.NewTerm(name)}, Assign: true,
			Value: ast.ArrayTerm(ast.BooleanTerm(true)), Location: branch.Head.Location,
		}
		if branch.Head.Value != nil { // a branch whose value is undefined does not hold
			helper.Head.Value = ast.ArrayTerm(branch.Head.Value.Copy())
		}
		before := slices.Clone(holds)
		holds = append(holds, ast.NewTerm(module.Package.Path.Append(ast.StringTerm(string(name)))))
		for _, earlier := range before {
			branch.Body.Append(not(earlier))
		}
		branch.Head.Reference, branch.Head.Name = rule.Head.Reference, rule.Head.Name
		rules = append(rules, helper, branch)
		branch = next
	}
	return rules, holds
}

func not(term *ast.Term) *ast.Expr { return ast.NewExpr(term).Complement() }
