package door_test

import (
	"go/ast"
	"go/token"
	"strings"
)

// branches walks statements whose parts may not be run.
func (w *walk) branches(stmt ast.Stmt, s *scope) {
	s = &scope{names: map[string]value{}, above: s}
	switch stmt := stmt.(type) {
	case *ast.IfStmt:
		if stmt.Init != nil {
			w.statement(stmt.Init, s)
		}
		w.value(stmt.Cond, s)
		equal := w.equality(stmt.Cond, s)
		w.branch([]ast.Stmt{stmt.Body}, w.p.written(stmt.Cond), equal, s)
		if stmt.Else != nil {
			before := w.decided
			w.exclude(equal)
			w.branch([]ast.Stmt{stmt.Else}, "", nil, s)
			w.decided = before
		}
	case *ast.SwitchStmt:
		if stmt.Init != nil {
			w.statement(stmt.Init, s)
		}
		tag := ""
		if stmt.Tag != nil {
			tag = w.value(stmt.Tag, s).text
		}
		w.clauses(stmt.Body, tag, s)
	case *ast.TypeSwitchStmt:
		w.clauses(stmt.Body, "", s)
	case *ast.SelectStmt:
		w.clauses(stmt.Body, "", s)
	case *ast.ForStmt:
		for _, part := range []ast.Stmt{stmt.Init, stmt.Post} {
			if part != nil {
				w.statement(part, s)
			}
		}
		w.value(stmt.Cond, s)
		w.branch([]ast.Stmt{stmt.Body}, "", nil, s)
	case *ast.RangeStmt:
		of := w.value(stmt.X, s).text
		for _, e := range []ast.Expr{stmt.Key, stmt.Value} {
			if e != nil {
				w.assign(e, value{text: of + "[]"}, s, stmt.Tok == token.DEFINE)
			}
		}
		w.branch([]ast.Stmt{stmt.Body}, "", nil, s)
	}
}

func (w *walk) clauses(body *ast.BlockStmt, tag string, s *scope) {
	before, kept := w.decided, false
	for _, clause := range body.List {
		inner := &scope{names: map[string]value{}, above: s}
		switch clause := clause.(type) {
		case *ast.CaseClause:
			cond, equal := w.cases(clause, tag, s)
			w.branch(clause.Body, cond, equal, inner)
			kept = kept || strings.Contains(cond, withoutError)
			w.exclude(equal)
		case *ast.CommClause:
			if clause.Comm != nil {
				w.statement(clause.Comm, s)
			}
			w.branch(clause.Body, "", nil, inner)
		}
	}
	if !kept {
		w.decided = before
	}
}

// cases returns the conditions of a clause.
func (w *walk) cases(clause *ast.CaseClause, tag string, s *scope) (cond string, equal []equality) {
	for _, e := range clause.List {
		cond += w.p.written(e) + " "
		v := w.value(e, s)
		if tag != "" {
			equal = append(equal, equality{tag, v.text})
		} else {
			equal = append(equal, w.equality(e, s)...)
		}
	}
	return cond, equal
}

// equality is what holds in a branch.
type equality struct{ tag, value string }

func (w *walk) equality(cond ast.Expr, s *scope) []equality {
	tag, equals, ok := strings.Cut(w.value(cond, s).text, " == ")
	if !ok || strings.Contains(tag+equals, " ") {
		return nil
	}
	return []equality{{tag, equals}}
}

// exclude goes on where an equality does not hold.
func (w *walk) exclude(equal []equality) {
	for _, e := range equal {
		if w.rules.narrow == nil || len(equal) != 1 {
			return
		}
		if _, elsewhere, ok := w.rules.narrow(w.decided, e.tag, e.value); ok {
			w.decided = elsewhere
		}
	}
}

// withoutError is the condition under which a branch is taken unless something failed.
const withoutError = "err == nil"

// branch walks a branch in which one of some equalities holds.
func (w *walk) branch(body []ast.Stmt, cond string, equal []equality, s *scope) {
	before, narrowed := w.decided, false
	if w.rules.narrow != nil {
		var all []decision
		for _, e := range equal {
			if where, _, ok := w.rules.narrow(before, e.tag, e.value); ok {
				all, narrowed = append(all, where...), true
			}
		}
		if narrowed {
			w.decided = all
		}
	}
	for _, stmt := range body {
		w.statement(stmt, s)
	}
	if narrowed || !strings.Contains(cond, withoutError) {
		w.decided = before
	}
}
