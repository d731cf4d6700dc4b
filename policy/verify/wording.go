package verify

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// whereMark is what the definition of a rule has and a condition has not.
const whereMark = " holds if "

// localVariable is a name that OPA's compiler gives.
var localVariable = regexp.MustCompile(`__local\d+__\d*`)

// wording writes what partial evaluation leaves, for a person to read or to be compared.
type wording struct {
	compiler *ast.Compiler
	exact    bool                   // names are whole: equal texts mean the same
	support  map[string][]*ast.Rule // by reference
	asked    []string               // references that conditions have, in their order
	locals   map[ast.Var]string
	count    int // of local variables in the order that they appear
}

func newWording(compiler *ast.Compiler, support []*ast.Module, exact bool) *wording {
	w := &wording{compiler: compiler, exact: exact, support: map[string][]*ast.Rule{}}
	for _, module := range support {
		for _, rule := range module.Rules {
			ref := module.Package.Path.Extend(constant(rule.Head.Ref())).String()
			w.support[ref] = append(w.support[ref], rule)
		}
	}
	return w
}

// body writes conditions that hold together, without those that are there twice.
func (w *wording) body(body ast.Body) string {
	w.begin()
	return w.conjunction(body)
}

// begin forgets the variables of what was written before.
func (w *wording) begin() { w.locals, w.count = map[ast.Var]string{}, 0 }

func (w *wording) conjunction(body ast.Body) string {
	var words []string
	for _, expr := range body {
		if word := w.expr(expr); !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	slices.SortStableFunc(words, func(a, b string) int {
		return cmp.Or(rank(a)-rank(b), w.compare(a, b))
	})
	return strings.Join(words, ", ")
}

// rank puts what is asked of the action first.
func rank(word string) int {
	if strings.HasPrefix(word, "action") {
		return 0
	}
	return 1
}

// compare puts conditions in order. Those with variables keep theirs.
func (w *wording) compare(a, b string) int {
	if len(w.locals) > 0 {
		return 0
	}
	return strings.Compare(a, b)
}

// infix are functions that are written between what they compare.
var infix = map[string]string{
	"eq": "==", "equal": "==", "assign": "==", "neq": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">=", "internal.member_2": "in",
	"plus": "+", "minus": "-", "mul": "*", "div": "/",
}

func (w *wording) expr(e *ast.Expr) string {
	var word string
	switch terms := e.Terms.(type) {
	case *ast.Term:
		word = w.term(terms)
		if bodies := w.inlined(terms); bodies != "" {
			word = "(" + bodies + ")"
		}
	case []*ast.Term:
		word = w.call(terms)
	case *ast.Every:
		variables := w.term(terms.Value)
		if terms.Key != nil {
			variables = w.term(terms.Key) + ", " + variables
		}
		word = "every " + variables + " in " + w.term(terms.Domain) + " {" + w.inOrder(terms.Body) + "}"
	case *ast.SomeDecl:
		word = "some " + w.list(terms.Symbols)
	default:
		word = w.other(e.String())
	}
	for _, with := range e.With {
		word += " with " + w.term(with.Target) + " as " + w.term(with.Value)
	}
	if e.Negated {
		return "not " + word
	}
	return word
}

// inOrder writes conditions as they stand.
func (w *wording) inOrder(body ast.Body) string {
	words := make([]string, len(body))
	for i, expr := range body {
		words[i] = w.expr(expr)
	}
	return strings.Join(words, ", ")
}

// other is a text of OPA's with the variables that it has named as all are.
func (w *wording) other(text string) string {
	return localVariable.ReplaceAllStringFunc(text, func(name string) string { return w.variable(ast.Var(name)) })
}

func (w *wording) call(terms []*ast.Term) string {
	name, operands := terms[0].Value.String(), terms[1:]
	if sign, ok := infix[name]; ok && len(operands) == 2 {
		if v, ok := operands[0].Value.(ast.Var); ok && name == "eq" && w.locals[v] == "" && isLocal(v) {
			return w.term(operands[0]) + " := " + w.term(operands[1])
		}
		return w.term(operands[0]) + " " + sign + " " + w.term(operands[1])
	}
	arity := len(operands)
	if builtin := ast.BuiltinMap[name]; builtin != nil {
		arity = len(builtin.Decl.FuncArgs().Args)
	} else {
		name = w.term(terms[0])
	}
	var words []string
	for _, operand := range operands[:min(arity, len(operands))] {
		words = append(words, w.term(operand))
	}
	word := name + "(" + strings.Join(words, ", ") + ")"
	if arity < len(operands) { // the last one takes the result
		return w.term(operands[arity]) + " := " + word
	}
	return word
}

func (w *wording) term(t *ast.Term) string {
	switch v := t.Value.(type) {
	case ast.Var:
		return w.variable(v)
	case ast.Ref:
		return w.ref(v)
	case ast.Call:
		return w.call(v)
	case ast.Set:
		return "{" + w.list(v.Slice()) + "}"
	case *ast.Array:
		var terms []*ast.Term
		v.Foreach(func(t *ast.Term) { terms = append(terms, t) })
		return "[" + w.list(terms) + "]"
	case ast.Object:
		var words []string
		v.Foreach(func(key, value *ast.Term) { words = append(words, w.term(key)+": "+w.term(value)) })
		return "{" + strings.Join(words, ", ") + "}"
	case *ast.ArrayComprehension:
		return "[" + w.term(v.Term) + " | " + w.inOrder(v.Body) + "]"
	case *ast.SetComprehension:
		return "{" + w.term(v.Term) + " | " + w.inOrder(v.Body) + "}"
	case *ast.ObjectComprehension:
		return "{" + w.term(v.Key) + ": " + w.term(v.Value) + " | " + w.inOrder(v.Body) + "}"
	case ast.Null, ast.Boolean, ast.Number, ast.String:
		return t.String()
	}
	return w.other(t.String())
}

func (w *wording) list(terms []*ast.Term) string {
	var words []string
	for _, t := range terms {
		words = append(words, w.term(t))
	}
	return strings.Join(words, ", ")
}

func isLocal(v ast.Var) bool { return localVariable.MatchString(string(v)) }

func (w *wording) variable(v ast.Var) string {
	if v.IsWildcard() {
		return "_"
	}
	if !isLocal(v) {
		return string(v)
	}
	if w.locals[v] == "" {
		w.count++
		w.locals[v] = fmt.Sprintf("v%d", w.count)
	}
	return w.locals[v]
}

// ref writes a reference: one to the input without its first word, one to a rule without
// the package that all are in.
func (w *wording) ref(ref ast.Ref) string {
	var out strings.Builder
	rest := ref[1:]
	isRule := ref.HasPrefix(ast.DefaultRootRef)
	if isRule {
		w.ask(ref)
	}
	switch {
	case w.exact || !isRule && !ref.HasPrefix(ast.InputRootRef) || len(ref) == 1:
		out.WriteString(w.term(ref[0]))
	case isRule:
		out.WriteString("data")
		for len(rest) > 1 && (rest[0].Equal(ast.StringTerm("partial")) || rest[0].Equal(ast.StringTerm("svc"))) {
			rest = rest[1:]
		}
	}
	for _, part := range rest {
		name, isText := part.Value.(ast.String)
		switch {
		case !w.exact && isText && wordName.MatchString(string(name)):
			if out.Len() > 0 {
				out.WriteByte('.')
			}
			out.WriteString(string(name))
		default:
			out.WriteString("[" + w.term(part) + "]")
		}
	}
	return out.String()
}

// wordName is a member that is written after a dot.
var wordName = regexp.MustCompile(`^_*[A-Za-z][A-Za-z0-9_]*$`)

func (w *wording) ask(ref ast.Ref) {
	if name := constant(ref).String(); !slices.Contains(w.asked, name) {
		w.asked = append(w.asked, name)
	}
}

// constant is the part of a reference before what depends on the input or a variable.
func constant(ref ast.Ref) ast.Ref {
	for i := 1; i < len(ref); i++ {
		if !ast.IsConstant(ref[i].Value) {
			return ref[:i]
		}
	}
	return ref
}

// inlined writes the bodies of a rule that partial evaluation made, and that has
// neither name nor value for a person.
func (w *wording) inlined(t *ast.Term) string {
	ref, ok := t.Value.(ast.Ref)
	if !ok || !strings.HasPrefix(ref.String(), "data.partial.__") {
		return ""
	}
	var bodies []string
	outer := w.locals
	defer func() { w.locals = outer }()
	for _, rule := range w.support[ref.String()] {
		if len(rule.Head.Args) > 0 {
			return ""
		}
		w.locals = map[ast.Var]string{} // they are other variables, whatever OPA called them
		bodies = append(bodies, w.conjunction(rule.Body))
	}
	w.asked = slices.DeleteFunc(w.asked, func(name string) bool { return name == ref.String() })
	return strings.Join(bodies, " or ")
}
