package policy

import (
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

func TestRuleValuesAreThoseOfOPAsOwnCache(t *testing.T) {
	values := newRuleValues()
	own, opa := topdown.VirtualCache(values), topdown.NewVirtualCache()
	role, active := ast.MustParseRef("data.svc.project.role"), ast.MustParseRef("data.svc.key.active")
	same := func(step string) {
		t.Helper()
		for _, path := range []ast.Ref{role, active, role[:2]} {
			got, undefined := own.Get(path)
			want, wantUndefined := opa.Get(path)
			if got != want || undefined != wantUndefined {
				t.Errorf("%s, %s: %v, undefined: %t; OPA has %v, %t", step, path, got, undefined, want, wantUndefined)
			}
		}
		if got, want := len(own.Keys()), len(opa.Keys()); got != want {
			t.Errorf("%s: %d keys, OPA has %d", step, got, want)
		}
	}
	both := func(do func(topdown.VirtualCache)) { do(own); do(opa) }
	same("empty")
	path, value := append(ast.Ref{}, role...), ast.StringTerm("owner")
	both(func(c topdown.VirtualCache) { c.Put(path, value) })
	path[3] = ast.StringTerm("problem") // OPA uses the memory of a path again
	both(func(c topdown.VirtualCache) { c.Put(active, nil) })
	same("one value, one undefined")
	both(topdown.VirtualCache.Push)
	same("within with")
	value = ast.StringTerm("reader")
	both(func(c topdown.VirtualCache) { c.Put(role, value) })
	same("another value within with")
	both(topdown.VirtualCache.Pop)
	same("after with")
	value = ast.StringTerm("nobody")
	both(func(c topdown.VirtualCache) { c.Put(role, value) })
	same("put again")
	for i := range 2 * maxListed {
		path := append(role[:3:3], ast.InternedTerm(i))
		both(func(c topdown.VirtualCache) { c.Put(path, value) })
	}
	same("more values than are listed")
	both(topdown.VirtualCache.Push)
	same("within with, after many")
	both(topdown.VirtualCache.Pop)
	value = ast.StringTerm("owner")
	both(func(c topdown.VirtualCache) { c.Put(role, value) })
	same("put again, after many")
	values.reset()
	opa = topdown.NewVirtualCache()
	same("of another evaluation")
	both(func(c topdown.VirtualCache) { c.Put(active, value) })
	same("one value of another evaluation")
	values.reset()
	opa = topdown.NewVirtualCache()
	same("of a third")
}
