package door_test

import (
	"go/ast"
	"slices"
)

// unused returns the calls of deciders whose result nobody looks at. A decider is what
// makes a decision, by itself or by another one, and returns an error or a decision.
func (p *parsed) unused(decides func(call *ast.CallExpr) bool) (wrong []string) {
	deciders := p.deciders(decides)
	is := func(call *ast.CallExpr) bool {
		to, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		of, ok := to.X.(*ast.Ident)
		return decides(call) || ok && deciders[of.Name+"."+to.Sel.Name]
	}
	for _, f := range p.functions {
		ast.Inspect(f.body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ExprStmt:
				if call, ok := n.X.(*ast.CallExpr); ok && is(call) {
					wrong = append(wrong, f.full()+" does not look at what "+p.written(call.Fun)+" says")
				}
			case *ast.AssignStmt:
				if call, ok := n.Rhs[0].(*ast.CallExpr); ok && len(n.Rhs) == 1 && is(call) && !p.looksAt(f, n) {
					wrong = append(wrong, f.full()+" does not look at what "+p.written(call.Fun)+" says")
				}
			}
			return true
		})
	}
	return wrong
}

// deciders are the methods that decide, each with what its receiver is called.
func (p *parsed) deciders(decides func(call *ast.CallExpr) bool) map[string]bool {
	all := map[string]bool{}
	for grown := true; grown; {
		grown = false
		for _, f := range p.functions {
			name := f.itself + "." + f.name
			says := slices.Contains(f.results, "error") || slices.Contains(f.results, "*answers.Error") || slices.Contains(f.results, "policy.Decision")
			if all[name] || !says {
				continue
			}
			ast.Inspect(f.body, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				if to, ok := call.Fun.(*ast.SelectorExpr); ok {
					of, _ := to.X.(*ast.Ident)
					if decides(call) || of != nil && all[of.Name+"."+to.Sel.Name] {
						all[name], grown = true, true
					}
				}
				return true
			})
		}
	}
	return all
}

// looksAt reports whether the results of a call are looked at: the error, which is the
// last one, next, and of a decision what it allows.
func (p *parsed) looksAt(f function, stmt *ast.AssignStmt) bool {
	last, ok := stmt.Lhs[len(stmt.Lhs)-1].(*ast.Ident)
	if !ok || last.Name == "_" || !p.readNext(f, stmt, last.Name) {
		return false
	}
	for _, e := range stmt.Lhs[:len(stmt.Lhs)-1] {
		d, ok := e.(*ast.Ident)
		if !ok || d.Name != "d" && d.Name != "_" { // decisions are called d
			continue
		}
		if d.Name == "_" || !p.readsAllow(f, stmt, d.Name) {
			return false
		}
	}
	return true
}

// readNext reports whether a name is read after a statement, before it is written again.
func (p *parsed) readNext(f function, stmt *ast.AssignStmt, name string) (read bool) {
	written := map[*ast.Ident]bool{}
	var next *ast.Ident
	ast.Inspect(f.body, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok {
			for _, e := range a.Lhs {
				if to, ok := e.(*ast.Ident); ok {
					written[to] = true
				}
			}
		}
		if id, ok := n.(*ast.Ident); ok && id.Name == name && id.Pos() > stmt.End() && (next == nil || id.Pos() < next.Pos()) {
			next = id
		}
		return true
	})
	return next != nil && !written[next]
}

// readsAllow reports whether a decision's Allow is read after a statement, or the decision
// is returned.
func (p *parsed) readsAllow(f function, stmt *ast.AssignStmt, name string) (reads bool) {
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			of, ok := n.X.(*ast.Ident)
			reads = reads || ok && of.Name == name && n.Sel.Name == "Allow" && n.Pos() > stmt.End()
		case *ast.ReturnStmt:
			for _, e := range n.Results {
				of, ok := e.(*ast.Ident)
				reads = reads || ok && of.Name == name && n.Pos() > stmt.End()
			}
		}
		return true
	})
	return reads
}
