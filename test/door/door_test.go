// Package door holds handlers to the one door: none reads or writes users' data
// without a decision of the policy.
//
// The tests follow the calls of each address through the source, in the order in which
// they are written, to what has users' data. They see what a decision was on where that is
// said in the function or handed over to it; conditions they do not understand, but for
// those on err and on the action of a request.
package door_test

import (
	"go/ast"
	"slices"
	"strconv"
)

// route is a registration with a mux.
type route struct {
	pattern string
	handler string   // as it is written
	served  ast.Expr // the same
}

// registered returns what is registered with muxes.
func registered(p *parsed) (routes []route) {
	for _, f := range p.functions {
		ast.Inspect(f.body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 2 {
				return true
			}
			if to, ok := call.Fun.(*ast.SelectorExpr); !ok || to.Sel.Name != "Handle" && to.Sel.Name != "HandleFunc" {
				return true
			}
			routes = append(routes, route{pattern: text(call.Args[0]), handler: p.written(call.Args[1]), served: call.Args[1]})
			return true
		})
	}
	return routes
}

// text is a pattern: of one that is put together, the part that is written out.
func text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, _ := strconv.Unquote(e.Value)
		return s
	case *ast.BinaryExpr:
		return text(e.X) + text(e.Y)
	}
	return ""
}

// readers are the functions that call what has users' data for more than a decision.
func (p *parsed) readers(fields []string) (all []string) {
	for _, f := range p.functions {
		ast.Inspect(f.body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			to, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			of, ok := to.X.(*ast.SelectorExpr)
			if ok && to.Sel.Name != "Decide" && slices.Contains(fields, of.Sel.Name) && !slices.Contains(all, f.full()) {
				all = append(all, f.full())
			}
			return true
		})
	}
	return all
}
