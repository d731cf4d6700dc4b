package caddymodule

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/caddymodule/gateway/streams"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/site"
)

// TestARefusalToTheConsoleHasItsStatus: without svc_error in the site Caddy answers
// with the status alone.
func TestARefusalToTheConsoleHasItsStatus(t *testing.T) {
	const jobID = "job_01ARZ3NDEKTSV4RRFFQ69G5FAV"
	full := new(streams.Registry)
	full.Limit(streams.Bounds{All: 1})
	if _, err := full.Open(streams.Reader{}); err != nil {
		t.Fatal(err)
	}
	shared := &Shared{Sidecar: oneJob{}, Streams: full}
	for what, want := range map[string]int{site.ServeEvents: http.StatusServiceUnavailable, site.ServeFiles: http.StatusConflict} {
		asks := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(site.ServeHeader, what+" "+jobID)
			w.WriteHeader(http.StatusOK)
		})
		r := httptest.NewRequest(http.MethodGet, "/console/x", nil)
		err := handOn(consoleCore(shared, zap.NewNop()).Serve(httptest.NewRecorder(), r, asks, nil))
		var status caddyhttp.HandlerError
		if !errors.As(err, &status) || status.StatusCode != want {
			t.Errorf("%s: %v, want status %d", what, err, want)
		}
	}
}

// oneJob is a sidecar with a job that runs.
type oneJob struct{ sidecar.Service }

func (oneJob) Job(_ context.Context, id string) (sidecar.Job, error) {
	return sidecar.Job{Job: api.Job{JobID: id, Status: api.JobRunning}}, nil
}
