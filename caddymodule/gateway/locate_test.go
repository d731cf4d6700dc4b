package gateway

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/caddymodule/gateway/joblog"
	"github.com/svc-games/svc/caddymodule/gateway/streams"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

var running = sidecar.Job{Job: api.Job{JobID: jobID, ProjectID: project, Status: api.JobRunning}}

func ended(status api.JobStatus) sidecar.Job {
	return sidecar.Job{Job: api.Job{JobID: jobID, ProjectID: project, Status: status}, Settled: true}
}

// locate runs one request through a Locator and reports whether it was passed
// on to the engine.
func locate(t *testing.T, side *fakeSidecar, engines *fakeEngines, action policy.Action, job *sidecar.Job, edit func(*http.Request)) (*httptest.ResponseRecorder, bool, error) {
	t.Helper()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	l := Locator{Streams: new(streams.Registry), Sidecar: side, Engines: engines, RetryAfter: 30 * time.Second, Now: func() time.Time { return now }}
	method := http.MethodGet
	if action == policy.ActionCancel {
		method = http.MethodDelete
	}
	r := httptest.NewRequest(method, "/v1/x", nil)
	if edit != nil {
		edit(r)
	}
	w := httptest.NewRecorder()
	passed := false
	q := &Request{Route: Route{Action: action, JobID: jobID}, ProjectID: project, UserID: "u", Job: job, Body: []byte(`{}`)}
	l.Jobs = joblog.New(&EngineEvents{Engines: engines, Sidecar: side})
	err := l.Serve(w, r, q, func(w http.ResponseWriter, _ *http.Request) error {
		passed = true
		if q.Lease == nil {
			t.Error("passed on without a lease")
		}
		_, err := w.Write([]byte("from the engine"))
		return err
	})
	return w, passed, err
}

func TestSubmissionToAnEngineThatIsNotReady(t *testing.T) {
	next := time.Date(2026, 1, 1, 0, 1, 30, 0, time.UTC)
	for name, tc := range map[string]struct {
		err        error
		body       string
		retryAfter time.Duration
		state      string
	}{
		"starting":   {&engineproxy.StartingError{State: engineproxy.StateStarting, Phase: "booting"}, `"retryAfterSeconds":30`, 30 * time.Second, "starting; phase=booting"},
		"stopping":   {&engineproxy.StartingError{State: engineproxy.StateStopping, Phase: "stopping"}, `"retryAfterSeconds":30`, 30 * time.Second, "stopping"},
		"failed":     {&engineproxy.FailedError{Reason: "no such image", Next: next}, `no such image","retryAfterSeconds":90`, 90 * time.Second, "failed"},
		"owner full": {&engineproxy.RoomError{Owner: true, Most: 8, RetryAfter: 7 * time.Second}, `"error":"8 of your projects`, 7 * time.Second, "absent"},
		"full":       {&engineproxy.RoomError{Most: 40}, `"error":"All engine slots are taken`, time.Second, "absent"},
		"unknown":    {errDown, `can't be reached`, time.Second, ""},
	} {
		w, passed, err := locate(t, &fakeSidecar{}, &fakeEngines{submitErr: tc.err}, policy.ActionGenerate, nil, nil)
		var refused *answers.Error
		if passed || !errors.As(err, &refused) || refused.Status != 503 || !strings.Contains(string(refused.Body()), tc.body) || refused.RetryAfter != tc.retryAfter {
			t.Errorf("%s: passed %v, %v", name, passed, err)
		}
		if got := w.Header().Get(HeaderEngineState); got != tc.state {
			t.Errorf("%s: %s is %q, want %q", name, HeaderEngineState, got, tc.state)
		}
	}
}

func TestSubmissionWhoseEngineIsGoneFindsAStartingOneInTheHeader(t *testing.T) {
	for name, gone := range map[string]error{"not there": fmt.Errorf("%w: %w", ErrNotSent, errDown), "about to stop": answers.EngineStarting(time.Second)} {
		l := Locator{Engines: &fakeEngines{}, Now: time.Now}
		w := httptest.NewRecorder()
		q := &Request{Route: Route{Action: policy.ActionGenerate}, ProjectID: project, UserID: "u", Body: []byte(`{}`)}
		err := l.Serve(w, httptest.NewRequest(http.MethodPost, "/v1/generate", nil), q, func(http.ResponseWriter, *http.Request) error { return gone })
		if state := w.Header().Get(HeaderEngineState); !errors.Is(err, gone) || state != "starting; phase=queued" {
			t.Errorf("%s: %v, %s is %q", name, err, HeaderEngineState, state)
		}
	}
}

func TestOnlyAcceptedAndUnavailableSubmissionsCarryTheEnginesState(t *testing.T) {
	for status, state := range map[int]string{200: "ready", 400: "", 401: "", 409: "", 422: "", 429: "", 503: "ready", 504: ""} {
		w := httptest.NewRecorder()
		q := &Request{Route: Route{Action: policy.ActionGenerate}, ProjectID: project, UserID: "u", Body: []byte(`{}`)}
		l := Locator{Engines: &fakeEngines{}, Now: time.Now}
		err := l.Serve(w, httptest.NewRequest(http.MethodPost, "/v1/generate", nil), q, func(http.ResponseWriter, *http.Request) error {
			if status == http.StatusOK {
				return nil
			}
			return &answers.Error{Status: status}
		})
		if got := w.Header().Get(HeaderEngineState); got != state || (err == nil) != (status == 200) {
			t.Errorf("%d: %s is %q, want %q", status, HeaderEngineState, got, state)
		}
	}
}

func TestSubmissionReleasesItsLease(t *testing.T) {
	engines := &fakeEngines{}
	if _, passed, err := locate(t, &fakeSidecar{}, engines, policy.ActionGenerate, nil, nil); !passed || err != nil || engines.released != 1 {
		t.Errorf("passed %v, error %v, released %d", passed, err, engines.released)
	}
}

func TestStatusNeverAsksTheEngineAndAnswers304(t *testing.T) {
	w, passed, err := locate(t, &fakeSidecar{}, &fakeEngines{}, policy.ActionStatus, &running, nil)
	if passed || err != nil || w.Code != 200 || w.Header().Get("Svc-Poll-After") == "" {
		t.Fatalf("passed %v, error %v, %d", passed, err, w.Code)
	}
	etag := w.Header().Get("ETag")
	w, _, err = locate(t, &fakeSidecar{}, &fakeEngines{}, policy.ActionStatus, &running, func(r *http.Request) {
		r.Header.Set("If-None-Match", `"other", `+etag)
	})
	if err != nil || w.Code != http.StatusNotModified || w.Body.Len() > 0 {
		t.Errorf("second poll: %d, %v", w.Code, err)
	}
}

func TestFilesBeforeTheEndAndOfACancelledJobAre409(t *testing.T) {
	cancelled := ended(api.JobCancelled)
	for _, job := range []*sidecar.Job{&running, &cancelled} {
		_, _, err := locate(t, &fakeSidecar{}, &fakeEngines{}, policy.ActionFiles, job, nil)
		var refused *answers.Error
		if !errors.As(err, &refused) || refused.Status != http.StatusConflict {
			t.Errorf("%s: %v", job.Status, err)
		}
	}
}

func TestCancelOfAnEndedJobAnswersItsRecordWithoutTheEngine(t *testing.T) {
	done, engines := ended(api.JobCompleted), &fakeEngines{cancelErr: errDown}
	w, _, err := locate(t, &fakeSidecar{}, engines, policy.ActionCancel, &done, nil)
	if err != nil || engines.cancels != 0 || !strings.Contains(w.Body.String(), `"completed"`) {
		t.Errorf("error %v, cancels %d, %s", err, engines.cancels, w.Body)
	}
}

func TestCancelAnswersAfterSettlement(t *testing.T) {
	side := &fakeSidecar{jobs: map[string]sidecar.Job{jobID: ended(api.JobCancelled)}}
	w, _, err := locate(t, side, &fakeEngines{}, policy.ActionCancel, &running, nil)
	if err != nil || !strings.Contains(w.Body.String(), `"cancelled"`) {
		t.Errorf("error %v, %s", err, w.Body)
	}
	_, _, err = locate(t, &fakeSidecar{awaitErr: errDown}, &fakeEngines{}, policy.ActionCancel, &running, nil)
	var refused *answers.Error
	if !errors.As(err, &refused) || refused.Status != 503 {
		t.Errorf("without settlement: %v", err)
	}
}

func TestEventsOfAnEndedJobComeFromTheArchive(t *testing.T) {
	done := ended(api.JobCompleted)
	w, passed, err := locate(t, &fakeSidecar{decision: allowed}, &fakeEngines{log: endedLog{}}, policy.ActionEvents, &done, nil)
	if passed || err != nil || !strings.Contains(w.Body.String(), "event: job.completed") {
		t.Errorf("passed %v, error %v, %s", passed, err, w.Body)
	}
}

func TestEventsWhileTheEngineIsDownStayOpenUntilTheEnd(t *testing.T) {
	side := &fakeSidecar{decision: allowed, jobs: map[string]sidecar.Job{jobID: ended(api.JobFailed)}}
	engines := &fakeEngines{attachErr: engineproxy.ErrAbsent, log: endedLog{}}
	w, passed, err := locate(t, side, engines, policy.ActionEvents, &running, nil)
	if passed || err != nil || w.Code != 200 {
		t.Fatalf("passed %v, error %v, %d", passed, err, w.Code)
	}
	if body := w.Body.String(); !strings.HasPrefix(body, sse.FirstBlock+": waiting") || !strings.Contains(body, "event: job.completed") {
		t.Errorf("stream is %q", body)
	}
	if got := w.Header().Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("Content-Type is %q", got)
	}
}
