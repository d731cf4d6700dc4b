package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/svc-games/svc/api"
	engineproxy "github.com/svc-games/svc/engine-proxy"
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
		var refused *api.Error
		got := (&Projects{Sidecar: creation{err: err}}).create(httptest.NewRecorder(), r, &Request{})
		if !errors.As(got, &refused) || refused.Status != want || (refused.RetryAfter > 0) != (want == http.StatusServiceUnavailable) {
			t.Errorf("%v: %v, want %d", err, got, want)
		}
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
