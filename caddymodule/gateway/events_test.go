package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
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
	"github.com/svc-games/svc/test/wait"
)

// TestAStreamIsCompleteOnlyWhereItIsOver: some clients take a body that ends as it
// should for the end of the job, so a stream that they shall open again is cut off.
func TestAStreamIsCompleteOnlyWhereItIsOver(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, sent string
		cut          bool
	}{
		"the service stops":                      {streams.ReasonShutdown, "id: 1\ndata: {}\n\n", true},
		"the service stops before it begins":     {streams.ReasonShutdown, "", true},
		"no one can check the key":               {streams.ReasonUnchecked, "id: 1\ndata: {}\n\n", true},
		"the key is revoked":                     {streams.ReasonKeyRevoked, "id: 1\ndata: {}\n\n", false},
		"the key is disabled":                    {streams.ReasonKeyDisabled, "id: 1\ndata: {}\n\n", false},
		"the user loses access":                  {streams.ReasonAccessLost, "id: 1\ndata: {}\n\n", false},
		"the service stops after the last event": {streams.ReasonShutdown, "id: 1\nevent: job.completed\ndata: {}\n\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			var open streams.Registry
			l := Locator{Sidecar: &fakeSidecar{decision: allowed}, Engines: &fakeEngines{}, Streams: &open}
			terminal := make(chan struct{})
			l.Ended = func(string) { close(terminal) }
			served(&l, func(w http.ResponseWriter, r *http.Request) error {
				sse.SetHeaders(w.Header())
				if _, err := io.WriteString(w, tc.sent); err != nil && tc.sent != "" {
					t.Error(err)
				}
				if strings.Contains(tc.sent, api.EventCompleted) {
					<-terminal // it is on its way to the client
				}
				open.CloseAll(tc.reason)
				<-r.Context().Done()
				panic(http.ErrAbortHandler)
			})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if err := l.Serve(w, r, aStream("k", running), nil); err != nil {
					t.Error(err)
				}
			}))
			defer server.Close()
			resp, err := http.Get(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if cut := errors.Is(err, io.ErrUnexpectedEOF); cut != tc.cut || err != nil && !cut {
				t.Errorf("the body ended with %v", err)
			}
			closing := fmt.Sprintf(`"reason":%q}`+"\n\n", tc.reason)
			if last := strings.Contains(tc.sent, api.EventCompleted); strings.HasSuffix(string(body), closing) == last {
				t.Errorf("the client has %q", body)
			}
			wait.Until(t, "the stream is no longer registered", func() bool { return open.Len() == 0 })
		})
	}
}

// cutOff runs a handler that must have the server cut the connection.
func cutOff(t *testing.T, serve func() error) {
	t.Helper()
	defer func() {
		if p := recover(); p != http.ErrAbortHandler {
			t.Errorf("recovered %v", p)
		}
	}()
	t.Errorf("it returned %v", serve())
}

func TestAStreamThatItsEngineBreaksOffIsTakenUpWhereItWas(t *testing.T) {
	for name, sent := range map[string]struct{ first, last string }{
		"between events":         {"id: 1\ndata: {}\n\n", "1"},
		"in the middle of one":   {"id: 1\ndata: {}\n\nid: 2\nda", "1"},
		"before the first event": {": ok\n\n", ""},
		"before it said a word":  {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			side := &fakeSidecar{decision: allowed, jobs: map[string]sidecar.Job{jobID: running}}
			l := Locator{Sidecar: side, Engines: &fakeEngines{}, Streams: new(streams.Registry)}
			side.awaitErr = errDown // the job does not end meanwhile
			q := &Request{KeyID: "k", Route: Route{Action: policy.ActionEvents, JobID: jobID}, ProjectID: project, Job: &running}
			var positions []string
			w := httptest.NewRecorder()
			err := served(&l, func(w http.ResponseWriter, r *http.Request) error {
				positions = append(positions, r.Header.Get("Last-Event-ID"))
				sse.SetHeaders(w.Header())
				if len(positions) == 1 {
					if sent.first != "" {
						_, _ = w.Write([]byte(sent.first))
					}
					panic(http.ErrAbortHandler)
				}
				_, err := w.Write([]byte("id: 2\nevent: job.completed\ndata: {}\n\n"))
				return err
			}).Serve(w, httptest.NewRequest("GET", "/v1/x", nil), q, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(positions) != 2 || positions[1] != sent.last {
				t.Errorf("the engine was asked from %q", positions)
			}
			body := w.Body.String()
			if strings.Count(body, "id: 2\n") != 1 || strings.Contains(body, "id: 2\nda:") || !strings.HasSuffix(body, "event: job.completed\ndata: {}\n\n") {
				t.Errorf("the client has %q", body)
			}
		})
	}
}

// TestAStreamWhoseJobEndsWhileTheArchiveIsAwayIsCompleted: the engine proxy,
// which has the archive, was killed between the settlement and the last event.
func TestAStreamWhoseJobEndsWhileTheArchiveIsAwayIsCompleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		side := &fakeSidecar{decision: allowed, jobs: map[string]sidecar.Job{jobID: ended(api.JobCompleted)}}
		engines := &fakeEngines{attachErr: engineproxy.ErrUnreachable, log: endedLog{}, logErr: engineproxy.ErrUnreachable}
		l := Locator{Sidecar: side, Engines: engines, Streams: new(streams.Registry)}
		q := &Request{KeyID: "k", Route: Route{Action: policy.ActionEvents, JobID: jobID}, ProjectID: project, Job: &running}
		w := httptest.NewRecorder()
		err := served(&l, nil).Serve(w, httptest.NewRequest("GET", "/v1/x", nil), q, nil)
		if body := w.Body.String(); err != nil || w.Code != http.StatusOK || strings.Count(body, "event: "+api.EventCompleted) != 1 {
			t.Errorf("%d %v, the client has %q", w.Code, err, body)
		}
	})
}

func TestAStreamThatIsOpenedWhileTheServiceStopsSaysSoAndEnds(t *testing.T) {
	open := new(streams.Registry)
	open.CloseAll(streams.ReasonShutdown)
	l := Locator{Streams: open, Sidecar: &fakeSidecar{decision: policy.Decision{Allow: true}}, Engines: &fakeEngines{}, Now: time.Now}
	job := running
	q := &Request{Route: Route{Action: policy.ActionEvents, JobID: jobID}, ProjectID: project, KeyID: "k", Job: &job}
	w := httptest.NewRecorder()
	cutOff(t, func() error {
		return served(&l, func(_ http.ResponseWriter, r *http.Request) error {
			<-r.Context().Done() // the engine says nothing for as long as the stream is open
			return r.Context().Err()
		}).Serve(w, httptest.NewRequest(http.MethodGet, "/v1/x", nil), q, nil)
	})
	if w.Code != http.StatusOK || w.Result().Header.Get("Content-Type") != "text/event-stream" || !strings.Contains(w.Body.String(), `"reason":"shutdown"`) ||
		!strings.HasPrefix(w.Body.String(), sse.FirstBlock) {
		t.Errorf("%d %v %q", w.Code, w.Result().Header, w.Body)
	}
}

// TestAStreamOfWhichThereIsNoMoreEnds: the client names an event at or past the end
// of a job that ended while its engine was down. With a header that is sent the end
// of the stream is what 204 is otherwise.
func TestAStreamOfWhichThereIsNoMoreEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		side := &fakeSidecar{decision: allowed, jobs: map[string]sidecar.Job{jobID: ended(api.JobCompleted)}}
		engines := &fakeEngines{attachErr: engineproxy.ErrAbsent, log: endedLog{}}
		l := Locator{Sidecar: side, Engines: engines, Streams: new(streams.Registry)}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		r := httptest.NewRequest("GET", "/v1/x", nil).WithContext(ctx)
		r.Header.Set("Last-Event-ID", "1")
		w := httptest.NewRecorder()
		err := served(&l, nil).Serve(w, r, aStream("k", running), nil)
		if err != nil || ctx.Err() != nil || strings.Contains(w.Body.String(), "data:") {
			t.Errorf("%v, %v, the client has %q", err, ctx.Err(), w.Body)
		}
	})
}

// The ways to a job's events: the API, or the console.
var ways = map[string]func(l *Locator, w http.ResponseWriter, r *http.Request, q *Request) error{
	"the API": func(l *Locator, w http.ResponseWriter, r *http.Request, q *Request) error {
		return l.Serve(w, r, q, nil)
	},
	"the console": func(l *Locator, w http.ResponseWriter, r *http.Request, q *Request) error {
		r.Header.Set("Cookie", "__Host-svc-session=s")
		return l.follow(w, r, q, nil)
	},
}

// answerOf has a client ask for the events of a job whose engine answers as it does.
func answerOf(t *testing.T, way, method string, engine http.HandlerFunc) *httptest.ResponseRecorder {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Cookie") != "" {
			t.Error("the engine got a cookie")
		}
		h := w.Header()
		h.Set("Set-Cookie", "__Host-svc-session=of-somebody-else; Path=/; Secure")
		h.Set("Location", "https://example.com/")
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Svc-Instance-Id", "i")
		engine(w, r)
	}))
	defer server.Close()
	address := server.Listener.Addr().String()
	side := &fakeSidecar{decision: allowed, jobs: map[string]sidecar.Job{jobID: running}, awaitErr: errDown}
	l := Locator{Sidecar: side, Engines: &fakeEngines{at: address}, Streams: new(streams.Registry)}
	l.Jobs = joblog.New(&EngineEvents{Engines: l.Engines, Sidecar: side})
	w := httptest.NewRecorder()
	w.Header().Set("X-Request-Id", "r")
	if err := ways[way](&l, w, httptest.NewRequest(method, "/v1/x", nil), aStream("k", running)); err != nil {
		t.Error(err)
	}
	return w
}

// TestNothingOfAnEngineButEventsReachesAClient: an engine is hostile, or another one
// than the lease is of. A redirect of its would be followed with the API key, a 401
// be taken for the gateway's, a page or cookie for the console's.
func TestNothingOfAnEngineButEventsReachesAClient(t *testing.T) {
	type answer struct {
		status int
		kind   string
	}
	for name, first := range map[string]answer{
		"events":                    {http.StatusOK, "text/event-stream; charset=utf-8"},
		"a page in place of events": {http.StatusOK, "text/html"},
		"no kind of content":        {http.StatusOK, ""},
		"a way elsewhere":           {http.StatusFound, "text/event-stream"},
		"a refusal of the token":    {http.StatusUnauthorized, "application/json"},
		"no such job":               {http.StatusNotFound, "application/json"},
		"events as an error":        {http.StatusForbidden, "text/event-stream"},
		"no time":                   {http.StatusServiceUnavailable, "application/json"},
	} {
		for way := range ways {
			t.Run(name+" by "+way, func(t *testing.T) {
				asked := 0
				w := answerOf(t, way, http.MethodGet, func(w http.ResponseWriter, _ *http.Request) {
					if asked++; asked > 1 || name == "events" {
						w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
						_, _ = io.WriteString(w, "id: 1\nevent: job.completed\ndata: {}\n\n")
						return
					}
					w.Header()["Content-Type"] = []string{first.kind}
					w.WriteHeader(first.status)
					_, _ = io.WriteString(w, "<script></script>\n\n")
				})
				if body := w.Body.String(); w.Code != http.StatusOK || strings.Contains(body, "script") || strings.Count(body, "event: job.completed") != 1 {
					t.Errorf("the client got %d %q", w.Code, body)
				}
				want := http.Header{"X-Request-Id": {"r"}}
				sse.SetHeaders(want)
				if got := w.Result().Header; !maps.EqualFunc(got, want, slices.Equal) {
					t.Errorf("the client got %v, want %v", got, want)
				}
				w = answerOf(t, way, http.MethodHead, func(http.ResponseWriter, *http.Request) { t.Error("HEAD asked the engine") })
				if got := w.Result().Header; w.Code != http.StatusOK || !maps.EqualFunc(got, want, slices.Equal) {
					t.Errorf("to HEAD the client got %d %v, want %v", w.Code, got, want)
				}
			})
		}
	}
}

func TestAStreamWhoseRequestHasABodyIsTakenUpToo(t *testing.T) {
	ctx, cancel := wait.Context(t)
	defer cancel()
	asked := 0
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sse.SetHeaders(w.Header())
		if asked++; asked > 1 {
			_, _ = io.WriteString(w, "id: 2\nevent: job.completed\ndata: {}\n\n")
			return
		}
		if body, err := io.ReadAll(r.Body); err != nil || len(body) > 0 {
			t.Errorf("the engine got %q, %v", body, err)
		}
		_, _ = io.WriteString(w, "id: 1\ndata: {}\n\n")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	defer engine.Close()
	side := &fakeSidecar{decision: allowed, jobs: map[string]sidecar.Job{jobID: running}, awaitErr: errDown}
	l := Locator{Sidecar: side, Engines: &fakeEngines{at: engine.Listener.Addr().String()}, Streams: new(streams.Registry)}
	l.Jobs = joblog.New(&EngineEvents{Engines: l.Engines, Sidecar: side})
	r := httptest.NewRequest(http.MethodGet, "/v1/x", strings.NewReader("{}")).WithContext(ctx)
	w := httptest.NewRecorder()
	err := ways["the API"](&l, w, r, aStream("k", running))
	if err != nil || !strings.HasSuffix(w.Body.String(), "event: job.completed\ndata: {}\n\n") {
		t.Errorf("%v, %v, the client has %q", err, ctx.Err(), w.Body)
	}
}

func TestAClientThatHasAllEventsGetsNoContent(t *testing.T) {
	for way := range ways {
		w := answerOf(t, way, http.MethodGet, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
		if got := w.Result().Header; w.Code != http.StatusNoContent || len(got) != 1 || got.Get("X-Request-Id") != "r" {
			t.Errorf("%s: %d %v", way, w.Code, got)
		}
	}
}

// TestAStreamThatCanNotGoOnEndsWithoutAnError: what would be written now would stand
// in the stream.
func TestAStreamThatCanNotGoOnEndsWithoutAnError(t *testing.T) {
	side := &fakeSidecar{decision: allowed, jobs: map[string]sidecar.Job{jobID: ended(api.JobCompleted)}}
	var broke error
	l := Locator{
		Sidecar: side, Engines: &fakeEngines{attachErr: engineproxy.ErrAbsent}, Streams: new(streams.Registry),
		StreamBroken: func(id string, err error) {
			if id == jobID {
				broke = err
			}
		},
	}
	w := httptest.NewRecorder()
	err := served(&l, nil).Serve(w, httptest.NewRequest("GET", "/v1/x", nil), aStream("k", running), nil)
	if err != nil || w.Code != http.StatusOK || !strings.HasPrefix(w.Body.String(), ": ") {
		t.Errorf("%v, the client has %d %q", err, w.Code, w.Body)
	}
	var refused *answers.Error
	if !errors.As(broke, &refused) || refused.Status != http.StatusNotFound {
		t.Errorf("its end is not told: %v", broke)
	}
}

// TestReadersOfAJobShareItsEngineAndEndAlone has the key of one of two revoked.
func TestReadersOfAJobShareItsEngineAndEndAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		open, engines := new(streams.Registry), new(fakeEngines)
		side := &allowing{}
		l := Locator{Sidecar: side, Engines: engines, Streams: open}
		asked, goOn := 0, make(chan struct{})
		served(&l, func(w http.ResponseWriter, _ *http.Request) error {
			asked++
			sse.SetHeaders(w.Header())
			_, _ = io.WriteString(w, "id: 1\ndata: {}\n\n")
			<-goOn
			_, err := io.WriteString(w, "id: 2\nevent: job.completed\ndata: {}\n\n")
			return err
		})
		over := make(map[string]chan error)
		clients := make(map[string]*httptest.ResponseRecorder)
		for _, key := range []string{"revoked", "good"} {
			w, end := httptest.NewRecorder(), make(chan error, 1)
			over[key], clients[key] = end, w
			go func() { end <- l.Serve(w, httptest.NewRequest("GET", "/v1/x", nil), aStream(key, running), nil) }()
		}
		synctest.Wait()
		open.CloseReader(streams.Reader{KeyID: "revoked", ProjectID: project}, streams.ReasonKeyRevoked)
		if err := <-over["revoked"]; err != nil || !strings.HasSuffix(clients["revoked"].Body.String(), `"reason":"key_revoked"}`+"\n\n") {
			t.Errorf("%v, the client has %q", err, clients["revoked"].Body)
		}
		close(goOn)
		const want = sse.FirstBlock + "id: 1\ndata: {}\n\nid: 2\nevent: job.completed\ndata: {}\n\n"
		if err := <-over["good"]; err != nil || clients["good"].Body.String() != want {
			t.Errorf("%v, the client has %q", err, clients["good"].Body)
		}
		if asked != 1 || engines.released != 1 {
			t.Errorf("the engine was asked %d times, and let go %d times", asked, engines.released)
		}
	})
}

// allowing is a sidecar that lets everybody read.
type allowing struct{ sidecar.Service }

func (*allowing) Decide(context.Context, string, string, policy.Action) (policy.Decision, error) {
	return allowed, nil
}
