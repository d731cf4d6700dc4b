package policy

import (
	"slices"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Reads is what a policy's decisions depend on of the request: a set of the facts below.
// A decision may be used again for requests that have the same ones alone.
type Reads int

// The facts about a request.
const (
	ReadsIP Reads = 1 << iota
	ReadsTime
	ReadsMethod
	ReadsUserAgent

	readsAll = ReadsIP | ReadsTime | ReadsMethod | ReadsUserAgent
)

// Known reports whether r has no other facts than those above.
func (r Reads) Known() bool { return r&^readsAll == 0 }

// TimedLife is how long a decision is good that depends on the time.
const TimedLife = time.Second

// requestFacts are the members of input.request.
var requestFacts = map[ast.String]Reads{"ip": ReadsIP, "time": ReadsTime, "method": ReadsMethod, "userAgent": ReadsUserAgent}

// readsOf returns what the rules behind the entrypoint name of the request, and whether they
// name attributes of projects. A rule that takes the input as a whole, or by a name that is
// not written out, reads all.
func readsOf(compiler *ast.Compiler) (reads Reads, attributes bool) {
	seen := map[*ast.Rule]bool{}
	var follow func(ast.Ref)
	follow = func(path ast.Ref) {
		for _, rule := range compiler.GetRulesDynamicWithOpts(path, ast.RulesOptions{IncludeHiddenModules: true}) {
			if seen[rule] {
				continue
			}
			seen[rule] = true
			var walker *ast.GenericVisitor
			walker = ast.NewGenericVisitor(func(x any) bool {
				switch x := x.(type) {
				case ast.Ref:
					if x.HasPrefix(ast.DefaultRootRef) {
						follow(x)
					}
					if x.HasPrefix(ast.InputRootRef) {
						reads |= readBy(x)
						attributes = attributes || readsAttributes(x)
					}
					for _, part := range x[1:] {
						walker.Walk(part)
					}
					return true
				case ast.Var:
					if x.Equal(ast.InputRootDocument.Value) { // not in a reference: all of it
						reads, attributes = readsAll, true
					}
				}
				return false
			})
			walker.Walk(rule)
		}
	}
	follow(entrypoint)
	return reads, attributes
}

// readsAttributes reports whether a reference to the input may be one to attributes of a project.
func readsAttributes(ref ast.Ref) bool {
	for i, names := range [][]ast.String{{"project"}, {"attributes", "adminAttributes"}} {
		if len(ref) <= i+1 {
			return true
		}
		if name, written := ref[i+1].Value.(ast.String); written && !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

// readBy returns what a reference to the input reads of the request.
func readBy(ref ast.Ref) Reads {
	if len(ref) == 1 {
		return readsAll
	}
	name, written := ref[1].Value.(ast.String)
	switch {
	case written && name != "request":
		return 0
	case !written || len(ref) == 2:
		return readsAll
	}
	fact, written := ref[2].Value.(ast.String)
	if !written {
		return readsAll
	}
	return requestFacts[fact]
}
