package gateway

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// TestWebhookOfAJobIsNoEnginesAndTakesItsPermission: an engine gets no address of a receiver.
func TestWebhookOfAJobIsNoEnginesAndTakesItsPermission(t *testing.T) {
	body := `{"projectId":"` + project + `","prompt":"a","webhook":{"url":"https://hooks.example.com/in"}}`
	for refuses, want := range map[policy.Action]int{"": 0, policy.ActionWriteWebhooks: http.StatusForbidden} {
		side := &fakeSidecar{decision: allowed, refuses: refuses}
		a := &Access{Sidecar: side, Routes: &Routes{}}
		q := &Request{KeyID: "k", UserID: "u"}
		refused := a.check(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/v1/generate", strings.NewReader(body)), q)
		if refused == nil && want != 0 || refused != nil && refused.Status != want {
			t.Errorf("refusing %q: %v", refuses, refused)
		}
		if !slices.Contains(side.decided, string(policy.ActionWriteWebhooks)+" "+project) {
			t.Errorf("decided on %v", side.decided)
		}
		if strings.Contains(string(q.Body), "hooks.example.com") || q.JobWebhook == nil || q.JobWebhook.URL != "https://hooks.example.com/in" {
			t.Errorf("the engine gets %s, the reservation %+v", q.Body, q.JobWebhook)
		}
		if q.prompt != "a" {
			t.Errorf("the reservation gets the prompt %q", q.prompt)
		}
	}
}

func TestWebhookThatAJobCanNotHaveIsRefusedBeforeItsEngineStarts(t *testing.T) {
	body := `{"projectId":"` + project + `","prompt":"a","webhook":{"url":"https://hooks.example.com/in"}}`
	for unfit, want := range map[error]int{sidecar.NoSigningWebhook(): http.StatusBadRequest, errors.New("the store is down"): http.StatusServiceUnavailable} {
		a := &Access{Sidecar: &fakeSidecar{decision: allowed, unfit: unfit}, Routes: &Routes{}}
		r := httptest.NewRequest(http.MethodPost, "/v1/generate", strings.NewReader(body))
		if refused := a.check(httptest.NewRecorder(), r, &Request{KeyID: "k", UserID: "u"}); refused == nil || refused.Status != want {
			t.Errorf("%v: %v", unfit, refused)
		}
	}
}
