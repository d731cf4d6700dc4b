package caddymodule_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/sidecar"
)

func TestWithoutADecisionTheAnswerIs503AndTheReasonIsCounted(t *testing.T) {
	d := newFakeBackend(t)
	key := d.key("k", "")
	g := d.gateway(t, wholeAPI)
	for _, tc := range []struct {
		reason string
		err    error
	}{
		{"undefined", fmt.Errorf("%w: data.svc.authz.decision %w", policy.ErrNoDecision, policy.ErrUndefined)},
		{"malformed", fmt.Errorf("%w: %w: no rule", policy.ErrNoDecision, policy.ErrMalformed)},
		{"evaluation", fmt.Errorf("%w: division by zero", policy.ErrNoDecision)},
		{"slow", fmt.Errorf("%w: %w", policy.ErrNoDecision, context.DeadlineExceeded)},
		{"slow", fmt.Errorf("%w: %w: %w", sidecar.ErrUnreachable, sidecar.ErrSlow, context.DeadlineExceeded)},
		{"unrecorded", decisionlog.ErrNotRecorded},
		{"unreachable", fmt.Errorf("%w: %w", sidecar.ErrUnreachable, context.DeadlineExceeded)},
		{"facts", errors.New("disk 7 is broken")},
	} {
		reason := tc.reason
		d.fail(tc.err)
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
	d.fail(nil)
	if a := g.send("GET", "/v1/projects", key, ""); a.StatusCode != 200 {
		t.Errorf("afterwards: %d %s", a.StatusCode, a.body)
	}
}

// A stream is decided on twice, the second time when it is open: each counts.
func TestDecisionOnAnOpenStreamIsMeasuredLikeAnyOther(t *testing.T) {
	d := newFakeBackend(t)
	d.engine(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "id: 2\nevent: %s\ndata: {}\n\n", api.EventCompleted)
	})
	g, key := d.gateway(t, wholeAPI), d.key("k", "")
	grew := g.grows("svc_decision_seconds_count", func() {
		if a := g.send("GET", "/v1/generate/"+testJob+"/events", key, ""); a.StatusCode != 200 || !strings.Contains(a.body, api.EventCompleted) {
			t.Errorf("%d %s", a.StatusCode, a.body)
		}
	})
	if grew != 2 {
		t.Errorf("%v decisions were measured, want 2", grew)
	}
}

func TestStatusSaysThatTheWantedPolicyIsNotActive(t *testing.T) {
	d := newFakeBackend(t)
	d.policyProblem = "the policy of the source is not active: step tests failed"
	a := d.gateway(t, wholeAPI).ask("GET", "/svc/status")
	if a.StatusCode != 200 || !strings.Contains(a.body, `"state":"degraded"`) || !strings.Contains(a.body, d.policyProblem) {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
}
