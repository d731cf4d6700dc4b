package policy

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// ruleValues keeps the values of rules within one evaluation, in a list: a decision
// needs about a dozen. OPA's own is a tree with four allocations for each rule.
type ruleValues struct {
	frames [][]ruleValue // a "with" begins a new one, as rules may differ within it
}

// ruleValue is the value of the rule at path, nil for undefined.
type ruleValue struct {
	path  ast.Ref
	value *ast.Term
}

func newRuleValues() *ruleValues { return &ruleValues{[][]ruleValue{make([]ruleValue, 0, 12)}} }

func (v *ruleValues) top() *[]ruleValue { return &v.frames[len(v.frames)-1] }

// find returns the entry of a rule in the last frame, nil when there is none.
func (v *ruleValues) find(path ast.Ref) *ruleValue {
	frame := *v.top()
	for i := range frame {
		if frame[i].path.Equal(path) {
			return &frame[i]
		}
	}
	return nil
}

// Push implements topdown.VirtualCache.
func (v *ruleValues) Push() { v.frames = append(v.frames, nil) }

// Pop implements topdown.VirtualCache.
func (v *ruleValues) Pop() { v.frames = v.frames[:len(v.frames)-1] }

// Get implements topdown.VirtualCache.
func (v *ruleValues) Get(path ast.Ref) (value *ast.Term, undefined bool) {
	known := v.find(path)
	if known == nil {
		return nil, false
	}
	return known.value, known.value == nil
}

// Put implements topdown.VirtualCache.
func (v *ruleValues) Put(path ast.Ref, value *ast.Term) {
	if known := v.find(path); known != nil {
		known.value = value
		return
	}
	*v.top() = append(*v.top(), ruleValue{slices.Clone(path), value}) // the caller uses path's memory again
}

// Keys implements topdown.VirtualCache.
func (v *ruleValues) Keys() []ast.Ref {
	var paths []ast.Ref
	for _, known := range *v.top() {
		if known.value != nil {
			paths = append(paths, known.path)
		}
	}
	return paths
}

// Interface guards
var _ topdown.VirtualCache = (*ruleValues)(nil)
