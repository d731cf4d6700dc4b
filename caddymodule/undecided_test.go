package caddymodule_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/sidecar"
)

func TestWithoutADecisionTheAnswerIs503AndTheReasonIsCounted(t *testing.T) {
	d := newDesk(t)
	key := d.key("k", "")
	g := d.gateway(t, wholeAPI)
	for reason, err := range map[string]error{
		"undefined":   fmt.Errorf("%w: data.svc.authz.decision %w", policy.ErrNoDecision, policy.ErrUndefined),
		"malformed":   fmt.Errorf("%w: %w: no rule", policy.ErrNoDecision, policy.ErrMalformed),
		"evaluation":  fmt.Errorf("%w: division by zero", policy.ErrNoDecision),
		"slow":        fmt.Errorf("%w: %w", policy.ErrNoDecision, context.DeadlineExceeded),
		"unrecorded":  decisionlog.ErrNotRecorded,
		"unreachable": fmt.Errorf("%w: %w", sidecar.ErrUnreachable, context.DeadlineExceeded),
		"facts":       errors.New("disk 7 is broken"),
	} {
		d.fail(err)
		grew := g.grows(fmt.Sprintf("svc_decision_failures_total{reason=%q}", reason), func() {
			a := g.send("GET", "/v1/projects", key, "")
			if a.StatusCode != 503 || a.Header.Get("Retry-After") != "1" || strings.Contains(a.body, "disk 7") {
				t.Errorf("%s: %d %s", reason, a.StatusCode, a.body)
			}
		})
		if grew != 1 {
			t.Errorf("%s grew by %v", reason, grew)
		}
	}
	// So is a decision that fails once more when a stream has begun.
	d.failAfter(1, errors.New("disk 7 is broken"))
	grew := g.grows(`svc_decision_failures_total{reason="facts"}`, func() {
		if a := g.send("GET", "/v1/generate/"+testJob+"/events", key, ""); a.StatusCode != 503 {
			t.Errorf("a stream: %d %s", a.StatusCode, a.body)
		}
	})
	if grew != 1 {
		t.Errorf("for a stream it grew by %v", grew)
	}
	d.fail(nil)
	if a := g.send("GET", "/v1/projects", key, ""); a.StatusCode != 200 {
		t.Errorf("afterwards: %d %s", a.StatusCode, a.body)
	}
}

func TestStatusTellsThatTheWantedPolicyIsNotActive(t *testing.T) {
	d := newDesk(t)
	d.policyProblem = "the policy of the source is not active: step tests failed"
	a := d.gateway(t, wholeAPI).ask("GET", "/svc/status")
	if a.StatusCode != 200 || !strings.Contains(a.body, `"state":"degraded"`) || !strings.Contains(a.body, d.policyProblem) {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
}
