package policy

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// ruleCache remembers the values of rules within one evaluation. OPA's own
// makes a tree with two allocations for each part of a rule's path, which
// costs more than many rules do; the few rules that one decision needs are
// found faster by looking through all of them.
type ruleCache struct {
	// terms holds the paths, one after the other: the caller uses the memory
	// of a path again.
	terms   []*ast.Term
	entries []ruleValue
	frames  []int // the entry each frame but the first begins with
}

// ruleValue is the value of the rule at terms[begin:end], nil for undefined.
type ruleValue struct {
	begin, end int
	value      *ast.Term
}

// Push begins a frame: within "with", rules may have other values.
func (c *ruleCache) Push() { c.frames = append(c.frames, len(c.entries)) }

// Pop forgets the last frame.
func (c *ruleCache) Pop() {
	c.truncate(c.frame())
	c.frames = c.frames[:len(c.frames)-1]
}

// Get returns the value at path, and whether it is known to be undefined.
func (c *ruleCache) Get(path ast.Ref) (*ast.Term, bool) {
	for i := len(c.entries) - 1; i >= c.frame(); i-- {
		if entry := c.entries[i]; samePath(c.terms[entry.begin:entry.end], path) {
			return entry.value, entry.value == nil
		}
	}
	return nil, false
}

// Put remembers value, nil for undefined.
func (c *ruleCache) Put(path ast.Ref, value *ast.Term) {
	begin := len(c.terms)
	c.terms = append(c.terms, path...)
	c.entries = append(c.entries, ruleValue{begin, len(c.terms), value})
}

// Keys returns the paths in the last frame that have a value.
func (c *ruleCache) Keys() []ast.Ref {
	var paths []ast.Ref
	for _, entry := range c.entries[c.frame():] {
		if entry.value != nil {
			paths = append(paths, append(ast.Ref{}, c.terms[entry.begin:entry.end]...))
		}
	}
	return paths
}

// reset forgets everything and keeps the memory.
func (c *ruleCache) reset() {
	c.truncate(0)
	c.frames = c.frames[:0]
}

// frame returns the entry that the last frame begins with.
func (c *ruleCache) frame() int {
	if len(c.frames) == 0 {
		return 0
	}
	return c.frames[len(c.frames)-1]
}

// truncate forgets the entries from the n-th on.
func (c *ruleCache) truncate(n int) {
	if n < len(c.entries) {
		begin := c.entries[n].begin
		clear(c.terms[begin:])
		c.terms = c.terms[:begin]
	}
	clear(c.entries[n:])
	c.entries = c.entries[:n]
}

// samePath compares from the end, as paths share their beginnings.
func samePath(a, b []*ast.Term) bool {
	if len(a) != len(b) {
		return false
	}
	for i := len(a) - 1; i >= 0; i-- {
		if !sameTerm(a[i], b[i]) {
			return false
		}
	}
	return true
}

// sameTerm compares hashes before values: some of OPA's internal values can
// only be compared with their own kind.
func sameTerm(a, b *ast.Term) bool {
	if a == b {
		return true
	}
	if text, ok := a.Value.(ast.String); ok {
		other, ok := b.Value.(ast.String)
		return ok && text == other
	}
	return a.Hash() == b.Hash() && a.Equal(b)
}

var _ topdown.VirtualCache = (*ruleCache)(nil)
