package verify

import (
	"context"
	"fmt"

	"github.com/svc-games/svc/policy"
)

// Invariants decides what a service can ask, and holds the answers against what
// must be so in every policy: each input has a decision, and nothing is allowed
// but to a known user with a live key, or without one in a known way. It returns what is not so, at most ten
// findings. Usage is a fact of submissions alone, which leaves a part of the table.
func Invariants(ctx context.Context, e *policy.Evaluator, extra []TableProject) ([]string, error) {
	var findings []string
	for _, c := range combinations(e.Reads(), nil, extra) {
		facts, err := c.facts()
		if err != nil {
			return nil, err
		}
		user, _ := c.user.(string)
		live := c.state == any(policy.KeyActive) && user != ""
		if c.state == any(absent{}) && user != "" {
			live = c.via == any(policy.ViaConsole) || c.via == any(policy.ViaAdmin)
		}
		for _, action := range tableActions {
			if action != policy.ActionGenerate && c.usage != text(nil) && !c.varied {
				continue
			}
			action = facts.spelt(action)
			d, err := e.DecideValue(ctx, facts.input(action))
			switch {
			case ctx.Err() != nil:
				return nil, fmt.Errorf("deciding the table: %w", err)
			case err != nil:
				findings = append(findings, fmt.Sprintf("%s: %v; every input must have a decision", facts.with(action), err))
			case d.Allow && !live:
				findings = append(findings, fmt.Sprintf("%s: is allowed by rule %s; only a known user with a live key, in the console or as an admin may do anything",
					facts.with(action), d.Rule))
			}
		}
	}
	return limited(findings), nil
}

// with names the facts and an action.
func (f Facts) with(action policy.Action) string {
	return fmt.Sprintf("key=%s, user=%s, owner=%s, usage=%s, action=%s", f.Key, f.User, f.Owner, f.Usage, action)
}
