package gateway

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// modelEngines is an engine proxy that is asked for models alone.
type modelEngines struct {
	engineproxy.Engines

	list  []api.Model
	err   error
	asked int
}

func (e *modelEngines) Models(context.Context) ([]api.Model, error) {
	e.asked++
	return e.list, e.err
}

func TestModelThatIsNotThereIsRefusedBeforeAnythingIsReserved(t *testing.T) {
	over := policy.Decision{Status: 429, Reason: api.ReasonLimitExceeded, Limit: api.LimitJobsPerDay}
	both := []api.Model{{Name: "writer", Default: true}, {Name: "thinker"}}
	for name, tc := range map[string]struct {
		model    string
		list     []api.Model
		listErr  error
		decision policy.Decision
		replay   *sidecar.Job
		want     int // 0 means let through
		says     string
	}{
		"none is named":                     {"", both, nil, allowed, nil, 0, ""},
		"the generator itself":              {"embedded", nil, nil, allowed, nil, 0, ""},
		"no one knows, and it is the same":  {"embedded", nil, errDown, allowed, nil, 0, ""},
		"no one knows, and none is named":   {"", nil, errDown, allowed, nil, 0, ""},
		"the first":                         {"writer", both, nil, allowed, nil, 0, ""},
		"another":                           {"thinker", both, nil, allowed, nil, 0, ""},
		"none there":                        {"dear", both, nil, allowed, nil, 400, `settings.model must be one of embedded, writer, thinker, not "dear".`},
		"another case":                      {"Writer", both, nil, allowed, nil, 400, "embedded, writer, thinker"},
		"there are none":                    {"writer", nil, nil, allowed, nil, 400, `one of embedded, not "writer"`},
		"no one knows":                      {"writer", nil, errDown, allowed, nil, 503, "right now"},
		"none there, and a limit is hit":    {"dear", both, nil, over, nil, 400, "embedded"},
		"none there, and it is not allowed": {"dear", both, nil, policy.Decision{Status: 403, Error: "no"}, nil, 403, "no"},
		"none there any more, a replay":     {"dear", both, nil, allowed, &sidecar.Job{}, 0, ""},
		"no one knows, a replay":            {"dear", nil, errDown, allowed, &sidecar.Job{}, 0, ""},
		"the message stays short":           {"dear", manyModels(30), nil, allowed, nil, 400, "m18 and 11 more"},
	} {
		t.Run(name, func(t *testing.T) {
			side := &fakeSidecar{decision: tc.decision, replay: tc.replay}
			models := &Models{Engines: &modelEngines{list: tc.list, err: tc.listErr}, Now: time.Now}
			body := fmt.Sprintf(`{"projectId":%q,"prompt":"x","settings":{"model":%q}}`, project, tc.model)
			r := httptest.NewRequest("POST", "/v1/generate", strings.NewReader(body))
			r.Header.Set("Idempotency-Key", "k")
			refused := (&Access{Sidecar: side, Routes: NewRoutes(), Models: models}).check(httptest.NewRecorder(), r, &Request{KeyID: "k"})
			if (refused == nil) != (tc.want == 0) || refused != nil && (refused.Status != tc.want || !strings.Contains(refused.Message, tc.says)) {
				t.Errorf("got %v, want %d", refused, tc.want)
			}
		})
	}
}

func manyModels(n int) (all []api.Model) {
	for i := range n {
		all = append(all, api.Model{Name: fmt.Sprintf("m%d", i)})
	}
	return all
}

func TestListOfModelsBeginsWithTheGeneratorAndIsFollowed(t *testing.T) {
	engines := &modelEngines{}
	now := time.Now()
	l := Locator{Models: &Models{Engines: engines, Now: func() time.Time { return now }}}
	list := func() string {
		w := httptest.NewRecorder()
		if err := l.Serve(w, httptest.NewRequest("GET", "/v1/models", nil), &Request{Route: Route{Action: policy.ActionListModels}}, nil); err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(w.Body.String())
	}
	const alone = `{"success":true,"data":[{"name":"embedded","default":true,"vision":false,"reasoning":false}]}`
	if got := list(); got != alone {
		t.Errorf("without models: %s", got)
	}
	engines.list = []api.Model{{Name: "writer", Default: true, Context: 1000, Vision: true, Price: &api.ModelPrice{Input: 3, Cached: 1, CacheWrite: 3, Output: 15}}}
	if got := list(); got != alone || engines.asked != 1 {
		t.Errorf("asked %d times at once, %s", engines.asked, got)
	}
	now = now.Add(modelsKept)
	want := `{"success":true,"data":[{"name":"embedded","default":false,"vision":false,"reasoning":false},` +
		`{"name":"writer","default":true,"context":1000,"vision":true,"reasoning":false,"price":{"input":3,"cached":1,"cacheWrite":3,"output":15}}]}`
	if got := list(); got != want {
		t.Errorf("with one: %s", got)
	}
}
