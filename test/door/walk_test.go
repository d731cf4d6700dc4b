package door_test

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// decision is one that was made: may the user do this with that project? On is the text
// of a value, `""` for none.
type decision struct{ action, on string }

// read is a call of what has users' data.
type read struct {
	source string // Projects.Publish
	args   []value
	in     string // the function that has it
}

// walk goes through what a request runs, in the order in which it is written, functions
// of the package included. What is decided in a branch holds in that branch, and after it
// where the branch is taken unless there is an error.
type walk struct {
	p       *parsed
	rules   rules
	decided []decision
	made    []decision // all that ever were
	reads   []read
	wrong   []string
	in      []string // the functions on the way
	results []value  // of the function that is walked, by its last return
}

// rules say what a package's data are, and what decides.
type rules struct {
	// fields are those with users' data.
	fields []string
	// openers are those of them that return what has the data.
	openers []string
	// decide returns what a call decides.
	decide func(w *walk, source string, args []value) (made decision, ok bool)
	// check says what is wrong with a read, "" for nothing.
	check func(w *walk, r read) string
	// narrow returns what is decided where a value equals another, and where it does not;
	// false where that says nothing.
	narrow func(decided []decision, tag, equals string) (where, elsewhere []decision, ok bool)
	// opaque is a variable whose members are what they are called.
	opaque string
}

// serve walks what is registered for an address.
func (w *walk) serve(handler ast.Expr) {
	s := &scope{names: map[string]value{}}
	w.enter(w.value(handler, s))
}

// undecidedLists returns the lists of which nothing was decided on.
func (w *walk) undecidedLists(sources ...string) (all []string) {
	for _, r := range w.reads {
		decided := slices.ContainsFunc(w.made, func(d decision) bool { return strings.HasPrefix(d.on, r.source+"(") })
		if slices.Contains(sources, r.source) && !decided {
			all = append(all, r.source)
		}
	}
	return all
}

// enter walks a function that is registered, or handed over.
func (w *walk) enter(v value) {
	if v.literal != nil {
		w.body(v.literal.Body, w.bind(names(v.literal.Type.Params), nil, v.scope))
		return
	}
	if f := w.p.method(v.text); f != nil {
		w.inline(f, nil)
	}
}

func (w *walk) bind(params []string, args []value, above *scope) *scope {
	s := &scope{names: map[string]value{}, above: above}
	for i, name := range params {
		s.names[name] = value{text: name}
		if i < len(args) {
			s.names[name] = args[i]
		}
	}
	return s
}

// inline walks a function of the package where it is called, and returns its result.
func (w *walk) inline(f *function, args []value) value {
	if slices.Contains(w.in, f.full()) {
		return value{text: f.full() + "()"}
	}
	in, results := w.in, w.results
	w.in, w.results = append(slices.Clone(in), f.full()), nil
	w.body(f.body, w.bind(f.params, args, nil))
	v := value{text: f.full() + "()"}
	if len(w.results) > 0 {
		v = w.results[0]
	}
	w.in, w.results = in, results
	return v
}

// call makes a call.
func (w *walk) call(e *ast.CallExpr, s *scope) value {
	args := make([]value, len(e.Args))
	serves := strings.HasSuffix(w.p.written(e.Fun), ".Access.Serve")
	for i, arg := range e.Args {
		args[i] = w.value(arg, s)
		w.handedOver(arg)
	}
	callee := e.Fun
	if of, generic := callee.(*ast.IndexExpr); generic {
		callee = of.X
	}
	switch fun := callee.(type) {
	case *ast.Ident:
		v := s.get(fun.Name)
		if v.literal != nil {
			w.body(v.literal.Body, w.bind(names(v.literal.Type.Params), args, v.scope))
			return value{text: fun.Name + "()"}
		}
		if f := w.p.method(v.text); f != nil {
			return w.inline(f, args)
		}
		if f := w.p.find("", fun.Name); f != nil {
			return w.inline(f, args)
		}
	case *ast.SelectorExpr:
		if of, ok := fun.X.(*ast.Ident); ok && w.p.find(of.Name, fun.Sel.Name) != nil {
			return w.inline(w.p.find(of.Name, fun.Sel.Name), args)
		}
		source := w.source(fun, s)
		if d, ok := w.rules.decide(w, source, args); ok {
			w.decided, w.made = append(slices.Clone(w.decided), d), append(w.made, d)
			if serves { // the rest of the way is its own
				defer func(before []decision) { w.decided = before }(w.decided[:len(w.decided)-1])
			}
		} else if field, _, _ := strings.Cut(source, "."); slices.Contains(w.rules.fields, field) {
			w.look(read{source: source, args: args})
			w.enterAll(args)
			return value{text: source + "(" + texts(args) + ")"}
		}
		w.enterAll(args)
		return value{text: w.value(fun.X, s).text + "." + fun.Sel.Name + "(" + texts(args) + ")"}
	}
	w.enterAll(args)
	return value{text: w.p.written(e.Fun) + "(" + texts(args) + ")"}
}

// source names what a method is called of: the field, without whose it is.
func (w *walk) source(fun *ast.SelectorExpr, s *scope) string {
	of := w.value(fun.X, s).text
	if head, _, call := strings.Cut(of, "("); call {
		if slices.Contains(w.rules.openers, head) {
			return head + "." + fun.Sel.Name
		}
		return ""
	}
	if w.isReceiver(fun.X) {
		return fun.Sel.Name // a function that is a field
	}
	return of[strings.LastIndex(of, ".")+1:] + "." + fun.Sel.Name
}

// handedOver looks at a source that is an argument.
func (w *walk) handedOver(arg ast.Expr) {
	if field, ok := arg.(*ast.SelectorExpr); ok && w.isReceiver(field.X) && slices.Contains(w.rules.fields, field.Sel.Name) {
		w.look(read{source: field.Sel.Name + ".*"})
	}
}

func (w *walk) isReceiver(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && slices.ContainsFunc(w.p.functions, func(f function) bool { return f.itself == name.Name })
}

func (w *walk) look(r read) {
	r.in = w.in[len(w.in)-1]
	w.reads = append(w.reads, r)
	if problem := w.rules.check(w, r); problem != "" {
		w.wrong = append(w.wrong, r.in+" calls "+r.source+" "+problem)
	}
}

func (w *walk) enterAll(all []value) {
	for _, v := range all {
		if v.literal != nil {
			w.enter(v)
		}
	}
}

// texts are those of arguments, without the context.
func texts(args []value) string {
	var all []string
	for _, v := range args {
		if v.text != "ctx" && !strings.HasSuffix(v.text, ".Context()") {
			all = append(all, v.text)
		}
	}
	return strings.Join(all, ", ")
}

func (w *walk) body(b *ast.BlockStmt, s *scope) {
	for _, stmt := range b.List {
		w.statement(stmt, s)
	}
}

func (w *walk) statement(stmt ast.Stmt, s *scope) {
	switch stmt := stmt.(type) {
	case *ast.ExprStmt:
		w.value(stmt.X, s)
	case *ast.AssignStmt:
		w.assignment(stmt, s)
	case *ast.DeclStmt:
		w.declaration(stmt.Decl.(*ast.GenDecl), s)
	case *ast.ReturnStmt:
		w.results = nil
		for _, e := range stmt.Results {
			v := w.value(e, s)
			w.results = append(w.results, v)
		}
	case *ast.BlockStmt:
		w.body(stmt, s)
	case *ast.LabeledStmt:
		w.statement(stmt.Stmt, s)
	case *ast.DeferStmt:
		w.enter(w.value(stmt.Call.Fun, s))
	case *ast.GoStmt:
		w.enter(w.value(stmt.Call.Fun, s))
	default:
		w.branches(stmt, s)
	}
}

func (w *walk) assignment(stmt *ast.AssignStmt, s *scope) {
	define := stmt.Tok == token.DEFINE
	for i, e := range stmt.Rhs {
		v := w.value(e, s)
		w.assign(stmt.Lhs[i], v, s, define)
	}
	for _, e := range stmt.Lhs[len(stmt.Rhs):] {
		w.assign(e, value{text: w.p.written(e)}, s, define)
	}
}

func (w *walk) declaration(d *ast.GenDecl, s *scope) {
	for _, spec := range d.Specs {
		if v, ok := spec.(*ast.ValueSpec); ok {
			for i, name := range v.Names {
				s.names[name.Name] = value{text: name.Name}
				if i < len(v.Values) {
					s.names[name.Name] = w.value(v.Values[i], s)
				}
			}
		}
	}
}
