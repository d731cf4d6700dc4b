package gateway

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/caddymodule/gateway/streams"
	"github.com/svc-games/svc/sidecar"
)

// clocked notes when its client was sent something.
type clocked struct {
	*httptest.ResponseRecorder

	mu   sync.Mutex // guards the following fields
	sent []time.Time
	body strings.Builder
}

func (c *clocked) Write(data []byte) (int, error) { return c.WriteString(string(data)) }

func (c *clocked) WriteString(text string) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent = append(c.sent, time.Now())
	return c.body.WriteString(text)
}

// had returns what its client has, and when it was sent.
func (c *clocked) had() (string, []time.Time) {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.body.String(), slices.Clone(c.sent)
}

// TestReadersOfAFrozenEngineHaveAStreamThatBeats: an engine that is stopped takes
// the request and says nothing for as long as it pleases.
func TestReadersOfAFrozenEngineHaveAStreamThatBeats(t *testing.T) {
	const last = "id: 2\nevent: job.completed\ndata: {}\n\n"
	for name, before := range map[string]string{
		"before its answer":    "",
		"between two events":   "id: 1\nevent: job.started\ndata: {}\n\n",
		"in the middle of one": "id: 1\nevent: job.started\ndata: {}\n\n" + last[:10],
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				side := &fakeSidecar{decision: allowed, jobs: map[string]sidecar.Job{jobID: running}}
				l := Locator{Sidecar: side, Engines: &fakeEngines{}, Streams: new(streams.Registry)}
				w := &clocked{ResponseRecorder: httptest.NewRecorder()}
				begin, goesOn, over := time.Now(), make(chan struct{}), make(chan error, 1)
				go func() {
					over <- served(&l, func(w http.ResponseWriter, _ *http.Request) error {
						write := func(text string) {
							sse.SetHeaders(w.Header())
							if _, err := w.Write([]byte(text)); err != nil && text != "" {
								t.Error(err)
							}
						}
						if before != "" {
							write(before)
						}
						<-goesOn
						_, rest, found := strings.Cut(before, last[:10])
						if found {
							write(last[10:])
						} else {
							write(rest + last)
						}
						return nil
					}).Serve(w, httptest.NewRequest("GET", "/v1/x", nil), aStream("k", running), nil)
				}()
				time.Sleep(firstWord)
				body, _ := w.had()
				if body == "" || w.Code != http.StatusOK || w.Header().Get("Content-Type") != "text/event-stream" {
					t.Errorf("after %v the client has %d %v %q", firstWord, w.Code, w.Header(), body)
				}
				if before == "" && body != sse.FirstBlock {
					t.Errorf("the stream begins with %q", body)
				}
				time.Sleep(time.Hour - firstWord)
				body, sent := w.had()
				if n := strings.Count(body, ": hb\n\n"); n < 239 || n > 240 {
					t.Errorf("in an hour it beat %d times", n)
				}
				for _, at := range append(sent, time.Now()) {
					if at.Sub(begin) > sse.DefaultHeartbeat {
						t.Errorf("for %v the client had nothing", at.Sub(begin))
					}
					begin = at
				}
				close(goesOn)
				err := <-over
				if body, sent = w.had(); err != nil || strings.Count(body, "id: 2") != 1 || !strings.HasSuffix(body, last) {
					t.Errorf("%v, at the end the client has %q", err, body[len(body)-len(last):])
				}
				time.Sleep(time.Hour)
				if _, later := w.had(); len(later) != len(sent) {
					t.Error("it beats on when its handler has returned")
				}
			})
		})
	}
}

// TestAStreamThatPausesDoesNotBeat: nothing goes out while no one can say whether
// its reader may read on.
func TestAStreamThatPausesDoesNotBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var session asked
		open := new(streams.Registry)
		l := Locator{Engines: &fakeEngines{}, Streams: open}
		w := &clocked{ResponseRecorder: httptest.NewRecorder()}
		over := make(chan error, 1)
		go func() {
			over <- served(&l, func(_ http.ResponseWriter, r *http.Request) error {
				<-r.Context().Done()
				panic(http.ErrAbortHandler)
			}).follow(w, httptest.NewRequest("GET", "/console/x", nil), aStream("", running), session.ended)
		}()
		sent := func() int {
			_, blocks := w.had()
			return len(blocks)
		}
		time.Sleep(time.Minute)
		session.down.Store(true)
		time.Sleep(time.Second)
		before := sent()
		time.Sleep(time.Minute)
		if after := sent(); after != before || before < 4 {
			t.Errorf("of %d blocks %d went out without a look at the session", after, after-before)
		}
		session.down.Store(false)
		time.Sleep(time.Minute)
		if after := sent(); after < before+3 {
			t.Errorf("%d blocks went out in the minute after the session could be looked at again", after-before)
		}
		open.CloseAll(streams.ReasonSessionEnded)
		if err := <-over; err != nil {
			t.Error(err)
		}
	})
}
