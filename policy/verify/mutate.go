package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// mutation makes one small change to a module: the kind of mistake that a
// slip of the hand makes. It counts the places where it could and changes the
// one it was asked for.
type mutation struct {
	target int
	seen   int
	rule   string
	near   *ast.Location // of the last term that had one; some values have none
	place  string
	change string // empty until the target was reached
}

// mutate changes the n-th place of module and describes the change; ok is
// false when there are fewer.
func mutate(module *ast.Module, n int) (m mutation, ok bool) {
	m.target = n
	for i, rule := range module.Rules {
		m.rule = rule.Head.Ref().String()
		m.offer(rule.Location, "remove the rule", func() { module.Rules = slices.Delete(module.Rules, i, i+1) })
		for r := rule; r != nil && m.change == ""; r = r.Else {
			m.head(r.Head)
			m.body(r.Body)
			if next := r.Else; next != nil {
				m.offer(next.Location, "remove else", func() { r.Else = nil })
				m.offer(next.Location, "swap else "+quote(next.Head.Value.String())+" with what is before it", func() {
					r.Head.Value, next.Head.Value = next.Head.Value, r.Head.Value
					r.Body, next.Body = next.Body, r.Body
				})
			}
		}
		if m.change != "" {
			return m, true
		}
	}
	return m, false
}

// offer counts a place and makes the change if it is the target.
func (m *mutation) offer(place *ast.Location, change string, do func()) {
	if place != nil {
		m.near = place
	}
	if m.seen == m.target {
		place = m.near
		m.place = fmt.Sprintf("%s:%d", place.File, place.Row)
		m.change = change
		do()
	}
	m.seen++
}

func (m *mutation) head(head *ast.Head) {
	if head.Key != nil {
		m.term(head.Key)
	}
	if head.Value != nil {
		m.term(head.Value)
	}
}

// comparisons is what each comparison may be mistaken for.
var comparisons = map[string]string{
	"equal": "neq", "eq": "neq", "neq": "equal", "lt": "lte", "lte": "lt", "gt": "gte", "gte": "gt",
}

func (m *mutation) body(body ast.Body) {
	for _, expr := range body {
		if isTrue(expr) || m.change != "" {
			continue
		}
		text := quote(expr.String())
		m.offer(expr.Location, "remove "+text, func() {
			expr.Terms, expr.With, expr.Negated = ast.BooleanTerm(true), nil, false
		})
		if expr.IsAssignment() || expr.IsSome() || expr.IsEvery() {
			m.expr(expr, text)
			continue
		}
		m.offer(expr.Location, "negate "+text, func() { expr.Negated = !expr.Negated })
		m.expr(expr, text)
	}
}

func (m *mutation) expr(expr *ast.Expr, text string) {
	switch terms := expr.Terms.(type) {
	case *ast.Term:
		m.term(terms)
	case []*ast.Term:
		if other, ok := comparisons[terms[0].String()]; ok {
			m.offer(expr.Location, "turn "+text+" into "+other, func() { terms[0] = ast.RefTerm(ast.VarTerm(other)) })
		}
		for _, term := range terms[1:] {
			m.term(term)
		}
	case *ast.Every:
		m.body(terms.Body)
	case *ast.SomeDecl:
		for _, term := range terms.Symbols {
			m.term(term)
		}
	case *ast.Not:
		m.body(terms.Body)
	}
}

// term offers the changes of a term and of what is in it.
func (m *mutation) term(term *ast.Term) {
	switch v := term.Value.(type) {
	case ast.Call:
		for _, arg := range v[1:] {
			m.term(arg)
		}
	case *ast.ArrayComprehension:
		m.body(v.Body)
	case *ast.SetComprehension:
		m.body(v.Body)
	case *ast.ObjectComprehension:
		m.body(v.Body)
	default:
		for _, variant := range variants(v) {
			m.offer(term.Location, variant.change, func() { term.Value = variant.value })
		}
	}
}

type variant struct {
	change string
	value  ast.Value
}

// variants returns what a value may be mistaken for.
func variants(v ast.Value) []variant {
	into := func(other ast.Value) []variant {
		return []variant{{fmt.Sprintf("turn %s into %s", quote(v.String()), quote(other.String())), other}}
	}
	var all []variant
	switch v := v.(type) {
	case ast.Boolean:
		return into(!v)
	case ast.String:
		return into(v + "_")
	case ast.Number:
		return into(ast.Number(v + "1"))
	case ast.Null:
		return into(ast.Boolean(false))
	case ast.Set:
		v.Foreach(func(element *ast.Term) {
			without := v.Diff(ast.NewSet(element))
			all = append(all, variant{"remove " + quote(element.String()) + " from the set", without})
		})
	case *ast.Array:
		all = arrayVariants(v)
	case ast.Object:
		v.Foreach(func(name, member *ast.Term) {
			for _, changed := range variants(member.Value) {
				object := v.Copy()
				object.Insert(name, ast.NewTerm(changed.value))
				all = append(all, variant{"in " + name.String() + " " + changed.change, object})
			}
		})
	}
	return all
}

// arrayVariants swaps neighbours and changes elements.
func arrayVariants(v *ast.Array) []variant {
	var all []variant
	elements := make([]*ast.Term, 0, v.Len())
	v.Foreach(func(element *ast.Term) { elements = append(elements, element) })
	for i := range elements {
		if i > 0 {
			swapped := slices.Clone(elements)
			swapped[i-1], swapped[i] = swapped[i], swapped[i-1]
			change := fmt.Sprintf("swap %s and %s", quote(elements[i-1].String()), quote(elements[i].String()))
			all = append(all, variant{change, ast.NewArray(swapped...)})
		}
		for _, changed := range variants(elements[i].Value) {
			other := slices.Clone(elements)
			other[i] = ast.NewTerm(changed.value)
			all = append(all, variant{changed.change, ast.NewArray(other...)})
		}
	}
	return all
}

func isTrue(expr *ast.Expr) bool {
	term, ok := expr.Terms.(*ast.Term)
	return ok && !expr.Negated && ast.Boolean(true).Equal(term.Value)
}

// quote shortens source text to one line.
func quote(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 60 {
		text = string(runes[:59]) + "…"
	}
	return text
}
