package caddymodule

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/svc-games/svc/caddymodule/gateway"
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

func TestAClientThatLeavesDoesNotKeepTheFilesOfItsProject(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	d := &deletion{leave: leave}
	r := httptest.NewRequest(http.MethodDelete, "/v1/projects/p", nil).WithContext(ctx)
	err := remove(httptest.NewRecorder(), r, &gateway.Request{ProjectID: "p"}, &Shared{Sidecar: d, Engines: d})
	if err != nil || !d.forgotten {
		t.Errorf("%v; the engine proxy was told: %v", err, d.forgotten)
	}
}
