// Package change says how the decisions of two policies on the same facts differ, in
// the words that diff, replay and shadow have in common.
package change

import (
	"fmt"
	"reflect"

	"github.com/svc-games/svc/policy"
)

// Kind is what decisions have in common that differ in the same way.
type Kind struct {
	Action   policy.Action
	From, To string
}

// Count names a number of things, whose plural has an s.
func Count[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// None is the outcome where a policy made no decision.
const None = "no decision"

// Outcome is the status and rule of a decision, None for nil.
func Outcome(d *policy.Decision) string {
	if d == nil {
		return None
	}
	return fmt.Sprintf("%d %s", d.Status, d.Rule)
}

// Between returns the outcomes of two decisions, nil for none, and whether anything
// differs. What differs beside the outcome stands after the second. What the policies
// read to decide is no difference.
func Between(before, after *policy.Decision) (from, to string, differ bool) {
	from, to = Outcome(before), Outcome(after)
	switch {
	case from != to:
		return from, to, true
	case before == nil:
		return from, to, false
	case !reflect.DeepEqual(before.Limits, after.Limits):
		return from, to + ", other limits", true
	case before.Error != after.Error:
		return from, to + ", other message", true
	case before.Reason != after.Reason:
		return from, to + ", other reason", true
	case before.Limit != after.Limit:
		return from, to + ", other limit", true
	}
	return from, to, before.Allow != after.Allow
}
