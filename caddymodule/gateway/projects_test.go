package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// deletion is a sidecar and an engine proxy that delete a project.
type deletion struct {
	sidecar.Service
	engineproxy.Engines

	leave     context.CancelFunc // of the client
	forgotten bool
}

func (d *deletion) DeleteProject(ctx context.Context, _ string) error {
	d.leave()
	return ctx.Err()
}

func (d *deletion) Forget(ctx context.Context, _ string) error {
	d.forgotten = ctx.Err() == nil
	return ctx.Err()
}

// creation is a sidecar that makes no project, for a reason.
type creation struct {
	sidecar.Service

	err error
}

func (c creation) CreateProject(context.Context, string, api.ProjectRequest) (api.Project, error) {
	return api.Project{}, c.err
}

func TestOnlyARefusalToCreateThatCameBeforeAnyWriteAsksForAnotherAttempt(t *testing.T) {
	for err, want := range map[error]int{
		errors.New("the store is locked"):                                          http.StatusServiceUnavailable,
		fmt.Errorf("creating: %w: %w", sidecar.ErrInDoubt, sidecar.ErrUnreachable): http.StatusGatewayTimeout,
	} {
		r := httptest.NewRequest(http.MethodPost, "/v1/projects", nil)
		var refused *answers.Error
		got := (&Projects{Sidecar: creation{err: err}}).create(httptest.NewRecorder(), r, &Request{})
		if !errors.As(got, &refused) || refused.Status != want || (refused.RetryAfter > 0) != (want == http.StatusServiceUnavailable) {
			t.Errorf("%v: %v, want %d", err, got, want)
		}
	}
}

// secrets is a sidecar whose answer about a webhook was lost.
type secrets struct{ sidecar.Service }

func (secrets) RotateWebhook(context.Context, string) (api.Webhook, error) {
	return api.Webhook{}, fmt.Errorf("%w: %w", sidecar.ErrInDoubt, sidecar.ErrUnreachable)
}

func TestALostAnswerAboutASecretAsksForNoOtherAttempt(t *testing.T) {
	q := &Request{Route: Route{Action: policy.ActionWriteWebhooks, Part: partSecret}}
	var refused *answers.Error
	err := (&Projects{Sidecar: secrets{}}).serveWebhook(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", nil), q)
	if !errors.As(err, &refused) || refused.Status != http.StatusGatewayTimeout || refused.RetryAfter > 0 {
		t.Errorf("%v", err)
	}
}

func TestAClientThatLeavesDoesNotKeepTheFilesOfItsProject(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	d := &deletion{leave: leave}
	r := httptest.NewRequest(http.MethodDelete, "/v1/projects/p", nil).WithContext(ctx)
	err := (&Projects{Sidecar: d, Engines: d}).remove(httptest.NewRecorder(), r, &Request{ProjectID: "p"})
	if err != nil || !d.forgotten {
		t.Errorf("%v; the engine proxy was told: %v", err, d.forgotten)
	}
}

// catalog is a sidecar with three projects, of which a key may get two.
type catalog struct {
	sidecar.Service

	err error // of decisions
}

func (c catalog) Projects(context.Context, string, string, int) (api.ProjectList, error) {
	return api.ProjectList{Success: true, Data: []api.Project{{ID: "p1"}, {ID: "p2"}, {ID: "p3"}}, NextCursor: "c"}, nil
}

func (c catalog) Decide(_ context.Context, keyID, projectID string, action policy.Action) (policy.Decision, error) {
	return policy.Decision{Allow: keyID == "key_1" && projectID != "p2" && action == policy.ActionGetProject}, c.err
}

func TestListOfProjectsHasThoseThatTheKeyMayGet(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/v1/projects", nil)
	list := func(c catalog, keyID string) (string, error) {
		w := httptest.NewRecorder()
		err := (&Projects{Sidecar: c}).list(w, r, &Request{KeyID: keyID})
		return w.Body.String(), err
	}
	body, err := list(catalog{}, "key_1")
	if err != nil || !strings.Contains(body, `"p1"`) || strings.Contains(body, `"p2"`) || !strings.Contains(body, `"p3"`) || !strings.Contains(body, `"c"`) {
		t.Errorf("%s, %v", body, err)
	}
	if body, err := list(catalog{}, "key_2"); err != nil || !strings.Contains(body, `"data":[]`) {
		t.Errorf("%s, %v", body, err)
	}
	var refused *answers.Error
	if _, err := list(catalog{err: errors.New("down")}, "key_1"); !errors.As(err, &refused) || refused.Status != http.StatusServiceUnavailable {
		t.Errorf("without a decision: %v", err)
	}
}
