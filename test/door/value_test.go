package door_test

import (
	"go/ast"
	"go/token"
	"strings"
)

// value is what an expression stands for, as far as the source says it: a text that is
// the same wherever the same thing is meant, and the members that are known.
type value struct {
	text    string
	members map[string]value
	literal *ast.FuncLit // of a function that is written out
	scope   *scope       // of it
}

// scope are the values that names have in a function.
type scope struct {
	names map[string]value
	above *scope
}

func (s *scope) get(name string) value {
	for at := s; at != nil; at = at.above {
		if v, ok := at.names[name]; ok {
			return v
		}
	}
	return value{text: name}
}

// set gives a name a value, where it was defined if it was.
func (s *scope) set(name string, v value) {
	for at := s; at != nil; at = at.above {
		if _, ok := at.names[name]; ok {
			at.names[name] = v
			return
		}
	}
	s.names[name] = v
}

// member is a value's member. What was looked up by an id has that id.
func (v value) member(name string) value {
	if m, ok := v.members[name]; ok {
		return m
	}
	if id, ok := lookedUpBy(v.text); ok && (name == "ID" || name == "Project") {
		if name == "Project" {
			return v
		}
		return value{text: id}
	}
	return value{text: v.text + "." + name}
}

// lookedUpBy returns the id by which a project was looked up.
func lookedUpBy(text string) (id string, ok bool) {
	for _, lookUp := range []string{"Projects.Details(", "Sidecar.Project("} {
		if rest, found := strings.CutPrefix(text, lookUp); found && strings.HasSuffix(rest, ")") {
			return strings.TrimSuffix(rest, ")"), true
		}
	}
	return "", false
}

// value returns what an expression stands for. Calls in it are made on the way.
func (w *walk) value(e ast.Expr, s *scope) value {
	switch e := e.(type) {
	case *ast.Ident:
		return s.get(e.Name)
	case *ast.ParenExpr:
		return w.value(e.X, s)
	case *ast.UnaryExpr:
		v := w.value(e.X, s)
		if e.Op == token.AND {
			return v
		}
		return value{text: e.Op.String() + v.text}
	case *ast.StarExpr:
		return w.value(e.X, s)
	case *ast.BinaryExpr:
		x, y := w.value(e.X, s), w.value(e.Y, s)
		return value{text: x.text + " " + e.Op.String() + " " + y.text}
	case *ast.SelectorExpr:
		return w.value(e.X, s).member(e.Sel.Name)
	case *ast.CallExpr:
		return w.call(e, s)
	case *ast.CompositeLit:
		return w.composite(e, s)
	case *ast.FuncLit:
		return value{text: "func", literal: e, scope: s}
	case *ast.IndexExpr:
		w.value(e.Index, s)
		return value{text: w.value(e.X, s).text + "[]"}
	case *ast.TypeAssertExpr:
		return w.value(e.X, s)
	case *ast.SliceExpr:
		return w.value(e.X, s)
	case nil:
		return value{}
	}
	return value{text: w.p.written(e)}
}

func (w *walk) composite(e *ast.CompositeLit, s *scope) value {
	v := value{text: "{" + w.p.written(e) + "}", members: map[string]value{}}
	for _, element := range e.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			w.enter(w.value(element, s))
			continue
		}
		m := w.value(pair.Value, s)
		w.enter(m)
		if name, ok := pair.Key.(*ast.Ident); ok {
			v.members[name.Name] = m
		} else {
			w.value(pair.Key, s)
		}
	}
	return v
}

// assign gives what stands on the left a value.
func (w *walk) assign(to ast.Expr, v value, s *scope, define bool) {
	switch to := to.(type) {
	case *ast.Ident:
		if to.Name == "_" {
			return
		}
		if define {
			s.names[to.Name] = v
		} else {
			s.set(to.Name, v)
		}
	case *ast.SelectorExpr:
		of := w.value(to.X, s)
		if w.rules.opaque != "" && strings.SplitN(of.text, ".", 2)[0] == w.rules.opaque {
			return
		}
		if of.members == nil {
			of.members = map[string]value{}
		}
		of.members[to.Sel.Name] = v
		w.assign(to.X, of, s, false)
	case *ast.IndexExpr, *ast.StarExpr: // of no interest
	}
}
