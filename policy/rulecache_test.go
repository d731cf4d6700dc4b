package policy

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// TestRuleCacheDoesWhatOPAsDoes makes the same random calls on both.
func TestRuleCacheDoesWhatOPAsDoes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	paths := []ast.Ref{
		ast.MustParseRef("data.a"), ast.MustParseRef("data.a.b"), ast.MustParseRef("data.a.c"), ast.MustParseRef("data.b"),
		ast.MustParseRef(`data.f[1]`), ast.MustParseRef(`data.f["1"]`), ast.MustParseRef(`data.f[{"x": [1]}]`),
		ast.MustParseRef(`data.f[{"x": [2]}]`), ast.MustParseRef(`data.f[null]`), ast.MustParseRef(`data.f[{1, 2}]`),
	}
	for range 200 {
		ours, theirs := new(ruleCache), topdown.NewVirtualCache()
		depth := 0
		for step := range 60 {
			path := paths[random.IntN(len(paths))]
			switch n := random.IntN(10); {
			case n < 2:
				ours.Push()
				theirs.Push()
				depth++
			case n < 4 && depth > 0:
				ours.Pop()
				theirs.Pop()
				depth--
			case n < 7:
				if value, undefined := theirs.Get(path); value != nil || undefined {
					continue // OPA puts a rule once in a frame
				}
				var value *ast.Term
				if n > 4 {
					value = ast.IntNumberTerm(step)
				}
				reused := slices.Clone(path) // as OPA uses its memory again
				ours.Put(reused, value)
				theirs.Put(path, value)
				clear(reused)
			}
			got, gotUndefined := ours.Get(path)
			want, wantUndefined := theirs.Get(path)
			if got != want || gotUndefined != wantUndefined {
				t.Fatalf("%s: got %v, %t; OPA has %v, %t", path, got, gotUndefined, want, wantUndefined)
			}
			if len(ours.Keys()) != len(theirs.Keys()) {
				t.Fatalf("got keys %v, OPA has %v", ours.Keys(), theirs.Keys())
			}
		}
		ours.reset()
		if value, undefined := ours.Get(paths[0]); value != nil || undefined {
			t.Fatal("a cache that was reset knows a rule")
		}
	}
}
