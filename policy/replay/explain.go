package replay

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
)

// Explanation is how a policy decides a recorded decision.
type Explanation struct {
	Record decisionlog.Record `json:"record"`
	// Revision is that of the policy that explains; it may be another than the
	// one that decided.
	Revision string `json:"revision"`
	// Decision is nil when there is none; then Error says why.
	Decision *policy.Decision `json:"decision,omitempty"`
	Error    string           `json:"error,omitempty"`
	// Rules were evaluated, in their order. A rule that could not hold for
	// this input is not among them.
	Rules []Rule `json:"rules"`
	// Trace is every step, in OPA's notation.
	Trace string `json:"trace"`
}

// Rule is a rule that was evaluated.
type Rule struct {
	Name  string `json:"name"`
	Place string `json:"place"` // file:line
	Held  bool   `json:"held"`
}

// Explain decides a record again and keeps the trace.
func Explain(ctx context.Context, e *policy.Evaluator, r decisionlog.Record) (Explanation, error) {
	x := Explanation{Record: r, Revision: e.Revision()}
	d, events, err := e.TraceValue(ctx, r.Input.Value())
	switch {
	case ctx.Err() != nil:
		return Explanation{}, fmt.Errorf("explaining decision %s: %w", r.DecisionID, err)
	case err != nil:
		x.Error = err.Error()
	default:
		x.Decision = &d
	}
	x.Rules = rules(events)
	var trace bytes.Buffer
	topdown.PrettyTraceWithLocation(&trace, events)
	x.Trace = trace.String()
	return x, nil
}

// rules returns the rules that events enter, once each.
func rules(events []*topdown.Event) []Rule {
	all := []Rule{}
	for _, event := range events {
		rule, ok := event.Node.(*ast.Rule)
		if !ok || event.Op != topdown.EnterOp && event.Op != topdown.ExitOp || rule.Location == nil {
			continue
		}
		place := fmt.Sprintf("%s:%d", rule.Location.File, rule.Location.Row)
		name := rule.Ref().String()
		i := slices.IndexFunc(all, func(r Rule) bool { return r.Name == name && r.Place == place })
		if i < 0 {
			i = len(all)
			all = append(all, Rule{Name: name, Place: place})
		}
		all[i].Held = all[i].Held || event.Op == topdown.ExitOp
	}
	return all
}
