package policy

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// maxListed is how many values a list is searched for.
const maxListed = 32

// ruleValues keeps the values of rules within one evaluation, at first in a list: a
// decision needs about a dozen. OPA's own is a tree with four allocations for each rule.
type ruleValues struct {
	frames []valueFrame // a "with" begins a new one, as rules may differ within it
}

// valueFrame is a list, or once that is full OPA's tree: a function that is called for
// each of thousands of elements has a value for each.
type valueFrame struct {
	list []ruleValue
	tree topdown.VirtualCache // nil: all is in the list
}

// reset forgets the values, and keeps the memory of the list and of the paths in it.
func (v *ruleValues) reset() {
	clear(v.frames[1:cap(v.frames)]) // those of each "with" that is over, too
	v.frames = v.frames[:1]
	first := &v.frames[0]
	for i := range first.list {
		clear(first.list[i].path)
		first.list[i].value = nil
	}
	first.list, first.tree = first.list[:0], nil
}

// ruleValue is the value of the rule at path, nil for undefined.
type ruleValue struct {
	path  ast.Ref
	value *ast.Term
}

func newRuleValues() *ruleValues {
	return &ruleValues{[]valueFrame{{list: make([]ruleValue, 0, 12)}}}
}

func (v *ruleValues) top() *valueFrame { return &v.frames[len(v.frames)-1] }

// find returns the list's entry of a rule, nil when there is none.
func (f *valueFrame) find(path ast.Ref) *ruleValue {
	for i := range f.list {
		if f.list[i].path.Equal(path) {
			return &f.list[i]
		}
	}
	return nil
}

// Push implements topdown.VirtualCache.
func (v *ruleValues) Push() { v.frames = append(v.frames, valueFrame{}) }

// Pop implements topdown.VirtualCache.
func (v *ruleValues) Pop() { v.frames = v.frames[:len(v.frames)-1] }

// Get implements topdown.VirtualCache.
func (v *ruleValues) Get(path ast.Ref) (value *ast.Term, undefined bool) {
	frame := v.top()
	if frame.tree != nil {
		return frame.tree.Get(path)
	}
	known := frame.find(path)
	if known == nil {
		return nil, false
	}
	return known.value, known.value == nil
}

// Put implements topdown.VirtualCache.
func (v *ruleValues) Put(path ast.Ref, value *ast.Term) {
	frame := v.top()
	if frame.tree != nil {
		frame.tree.Put(path, value)
	} else if known := frame.find(path); known != nil {
		known.value = value
	} else if n := len(frame.list); n < maxListed {
		frame.list = slices.Grow(frame.list, 1)[:n+1]
		listed := &frame.list[n]
		listed.path, listed.value = append(listed.path[:0], path...), value // the caller uses path's memory again
	} else {
		frame.tree = topdown.NewVirtualCache()
		for _, listed := range frame.list {
			frame.tree.Put(listed.path, listed.value)
		}
		frame.tree.Put(path, value)
	}
}

// Keys implements topdown.VirtualCache.
func (v *ruleValues) Keys() []ast.Ref {
	if tree := v.top().tree; tree != nil {
		return tree.Keys()
	}
	var paths []ast.Ref
	for _, known := range v.top().list {
		if known.value != nil {
			paths = append(paths, known.path)
		}
	}
	return paths
}

// Interface guards
var _ topdown.VirtualCache = (*ruleValues)(nil)
