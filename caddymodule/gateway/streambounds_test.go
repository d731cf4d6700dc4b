package gateway

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
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

// opens opens a stream.
func opens(t *testing.T, open *streams.Registry, by streams.Reader) *streams.Stream {
	t.Helper()
	s, err := open.Open(by)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// aStream is a key's request for the events of a job.
func aStream(keyID string, job sidecar.Job) *Request {
	return &Request{KeyID: keyID, Route: Route{Action: policy.ActionEvents, JobID: jobID}, ProjectID: project, Job: &job}
}

func TestAStreamWithoutRoomIsRefusedBeforeAnyoneIsAsked(t *testing.T) {
	session := &Request{UserID: "u", Route: Route{Action: policy.ActionEvents, JobID: jobID}, ProjectID: project, Job: &running}
	tests := map[string]struct {
		bounds streams.Bounds
		open   streams.Reader
		serve  func(l *Locator, w http.ResponseWriter, r *http.Request) error
	}{
		"of its key": {
			streams.Bounds{PerKey: 1}, streams.Reader{KeyID: "k", ProjectID: foreign},
			func(l *Locator, w http.ResponseWriter, r *http.Request) error {
				return l.Serve(w, r, aStream("k", running), nil)
			},
		},
		"of its user without a key": {
			streams.Bounds{PerKey: 1}, streams.Reader{UserID: "u", ProjectID: foreign},
			func(l *Locator, w http.ResponseWriter, r *http.Request) error {
				return l.follow(w, r, session, nil)
			},
		},
		"of all": {
			streams.Bounds{All: 1}, streams.Reader{KeyID: "other", ProjectID: foreign},
			func(l *Locator, w http.ResponseWriter, r *http.Request) error {
				return l.Serve(w, r, aStream("k", running), nil)
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			open := new(streams.Registry)
			open.Limit(tc.bounds)
			defer opens(t, open, tc.open).Done()
			// Without a sidecar, engines and a proxy: whoever is asked panics.
			err := tc.serve(&Locator{Streams: open}, httptest.NewRecorder(), httptest.NewRequest("GET", "/v1/x", nil))
			var refused *answers.Error
			if !errors.As(err, &refused) || refused.Status != http.StatusServiceUnavailable || refused.RetryAfter != retryFull || refused.Starting {
				t.Errorf("got %v", err)
			}
			if open.Len() != 1 {
				t.Errorf("%d streams are open", open.Len())
			}
		})
	}
}

// TestAStreamGivesItsPlaceBackHoweverItEnds has one place for all, which the next
// stream needs.
func TestAStreamGivesItsPlaceBackHoweverItEnds(t *testing.T) {
	open := new(streams.Registry)
	open.Limit(streams.Bounds{PerKey: 1, All: 1})
	for name, tc := range streamEnds(open) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if tc.sidecar == nil {
					tc.sidecar = &fakeSidecar{decision: allowed, jobs: map[string]sidecar.Job{jobID: running}, awaitErr: errDown}
				}
				if tc.engines == nil {
					tc.engines = &fakeEngines{}
				}
				if tc.job.JobID == "" {
					tc.job = running
				}
				if tc.method == "" {
					tc.method = http.MethodGet
				}
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				var next Next
				if tc.serve != nil {
					next = tc.serve(leave)
				}
				l := Locator{Sidecar: tc.sidecar, Engines: tc.engines, Streams: open}
				func() {
					defer func() { _ = recover() }()
					var w http.ResponseWriter = httptest.NewRecorder()
					if tc.bug {
						w = buggy{w}
					}
					_ = served(&l, next).Serve(w, httptest.NewRequest(tc.method, "/v1/x", nil).WithContext(ctx), aStream("k", tc.job), nil)
				}()
				if l.Jobs.Len() != 0 {
					t.Errorf("%d jobs are followed", l.Jobs.Len())
				}
				if open.Len() != 0 {
					t.Fatalf("%d streams are open", open.Len())
				}
				opens(t, open, streams.Reader{KeyID: "k", ProjectID: project}).Done()
			})
		})
	}
}

// TestAStreamOfOneJobTooManyIsRefused: each job that is followed takes a connection to an
// engine. One that has begun already waits for room.
func TestAStreamOfOneJobTooManyIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		side := &fakeSidecar{decision: allowed, jobs: map[string]sidecar.Job{jobID: running}, awaitErr: errDown}
		l := served(&Locator{Sidecar: side, Engines: &fakeEngines{}, Streams: new(streams.Registry)}, serves(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("id: 2\nevent: job.completed\ndata: {}\n\n"))
		}))
		l.Jobs.Limit(1)
		other := l.Jobs.Join(joblog.Job{ID: "other", ProjectID: foreign}, 0)
		time.AfterFunc(time.Minute, other.Leave)
		err := l.Serve(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/v1/x", nil), aStream("k", running), nil)
		var refused *answers.Error
		var full *streams.FullError
		if !errors.As(err, &refused) || refused.Status != http.StatusServiceUnavailable || refused.RetryAfter != retryFull ||
			!errors.As(err, &full) || full.Room != streams.RoomGateway {
			t.Errorf("got %v", err)
		}
		if n := l.Streams.Len(); n != 0 {
			t.Errorf("%d streams are open", n)
		}
		r := httptest.NewRequest(http.MethodGet, "/v1/x", nil)
		r.Header.Set("Last-Event-ID", "none")
		w := httptest.NewRecorder()
		if err := l.Serve(w, r, aStream("k", running), nil); err != nil || !strings.Contains(w.Body.String(), "event: job.completed") {
			t.Errorf("the stream that had begun got %q, %v", w.Body, err)
		}
	})
}

// streamEnd is a way in which a stream ends.
type streamEnd struct {
	sidecar *fakeSidecar
	engines *fakeEngines
	job     sidecar.Job
	method  string
	serve   func(leave func()) Next
	bug     bool // in what writes
}

// buggy is a writer that has a bug.
type buggy struct{ http.ResponseWriter }

func (buggy) Write([]byte) (int, error) { panic("a bug") }

// streamEnds are the ways in which a stream ends that is registered in open.
func streamEnds(open *streams.Registry) map[string]streamEnd {
	return map[string]streamEnd{
		"the job ends": {serve: func(func()) Next {
			return serves(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write([]byte("id: 2\nevent: job.completed\ndata: {}\n\n"))
			})
		}},
		"its client leaves": {serve: func(leave func()) Next {
			return serves(func(_ http.ResponseWriter, r *http.Request) {
				leave()
				<-r.Context().Done()
				panic(http.ErrAbortHandler) // as reverse_proxy does
			})
		}},
		"its client leaves while the engine is down": {
			engines: &fakeEngines{attachErr: engineproxy.ErrAbsent},
			serve: func(leave func()) Next {
				time.AfterFunc(time.Minute, leave)
				return nil
			},
		},
		"its key is revoked": {serve: func(func()) Next {
			return serves(func(_ http.ResponseWriter, r *http.Request) {
				open.CloseReader(streams.Reader{KeyID: "k", ProjectID: project}, streams.ReasonKeyRevoked)
				<-r.Context().Done()
				panic(http.ErrAbortHandler)
			})
		}},
		"its reader loses access": {serve: func(func()) Next {
			return serves(func(_ http.ResponseWriter, r *http.Request) {
				open.CloseReader(streams.Reader{KeyID: "k", ProjectID: project}, streams.ReasonAccessLost)
				<-r.Context().Done()
				panic(http.ErrAbortHandler)
			})
		}},
		"its handler has a bug": {bug: true, serve: func(func()) Next {
			return serves(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		}},
		"it was refused":      {sidecar: &fakeSidecar{decision: policy.Decision{Status: 403}}},
		"it was not decided":  {sidecar: &fakeSidecar{decideErr: errDown}},
		"it is of the past":   {job: ended(api.JobCompleted), engines: &fakeEngines{log: endedLog{}}},
		"no one has the past": {job: ended(api.JobCompleted), engines: &fakeEngines{}},
		"it has no body":      {method: http.MethodHead},
	}
}

// serves answers with a stream that do goes on with.
func serves(do func(w http.ResponseWriter, r *http.Request)) Next {
	return func(w http.ResponseWriter, r *http.Request) error {
		sse.SetHeaders(w.Header())
		if _, err := w.Write([]byte("id: 1\ndata: {}\n\n")); err != nil {
			return err
		}
		do(w, r)
		return r.Context().Err()
	}
}
