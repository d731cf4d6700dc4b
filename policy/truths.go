package policy

import "github.com/open-policy-agent/opa/v1/ast"

// sayTrue turns each condition that is a rule's name alone into "name = true", where the rule
// is true or undefined: it then holds in the same cases. Of any other condition OPA keeps the
// value in a variable that it makes, to see that it is not false, which is three allocations.
func sayTrue(compiler *ast.Compiler) {
	for _, module := range compiler.Modules {
		ast.WalkExprs(module, func(x *ast.Expr) bool {
			if name, ok := x.Terms.(*ast.Term); ok && trueOrUndefined(compiler, name) {
				x.Terms = ast.Equality.Expr(name, ast.InternedTerm(true)).Terms
			}
			return false
		})
	}
}

// trueOrUndefined reports whether a term names a rule that has no other value.
func trueOrUndefined(compiler *ast.Compiler, name *ast.Term) bool {
	ref, ok := name.Value.(ast.Ref)
	if !ok || !ref.IsGround() || !ref.HasPrefix(ast.DefaultRootRef) {
		return false
	}
	rules := compiler.GetRulesExact(ref)
	for _, rule := range rules {
		for ; rule != nil; rule = rule.Else {
			head := rule.Head
			if head.RuleKind() != ast.SingleValue || len(head.Args) > 0 || head.Value == nil || !head.Value.Equal(ast.InternedTerm(true)) {
				return false
			}
		}
	}
	return len(rules) > 0
}
