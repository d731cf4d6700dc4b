package change

import (
	"testing"

	"github.com/svc-games/svc/policy"
)

func TestEveryDifferenceOfTwoDecisionsIsNamed(t *testing.T) {
	one := func(edit func(*policy.Decision)) *policy.Decision {
		d := &policy.Decision{Allow: true, Status: 200, Rule: "allowed"}
		edit(d)
		return d
	}
	same := one(func(*policy.Decision) {})
	limit := int64(1)
	for name, tc := range map[string]struct {
		before, after *policy.Decision
		to            string
		differ        bool
	}{
		"equal":          {same, one(func(*policy.Decision) {}), "200 allowed", false},
		"none twice":     {nil, nil, None, false},
		"none now":       {same, nil, None, true},
		"another status": {same, one(func(d *policy.Decision) { d.Status = 403 }), "403 allowed", true},
		"another limit":  {same, one(func(d *policy.Decision) { d.Limits.JobsPerDay = &limit }), "200 allowed, other limits", true},
		"another reason": {same, one(func(d *policy.Decision) { d.Reason = "other" }), "200 allowed, other reason", true},
		"another name":   {same, one(func(d *policy.Decision) { d.Limit = "jobsPerDay" }), "200 allowed, other limit", true},
		"another text":   {same, one(func(d *policy.Decision) { d.Error = "No." }), "200 allowed, other message", true},
	} {
		if _, to, differ := Between(tc.before, tc.after); to != tc.to || differ != tc.differ {
			t.Errorf("%s: %q, differ: %v", name, to, differ)
		}
	}
}
