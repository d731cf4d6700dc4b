package gateway

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/caddymodule/gateway/streams"
	"github.com/svc-games/svc/policy"
)

// asked is a session that a test ends, or makes impossible to look up.
type asked struct{ over, down atomic.Bool }

func (a *asked) ended(ctx context.Context) (bool, error) {
	if a.down.Load() {
		<-ctx.Done() // as a sidecar that hangs
		return false, ctx.Err()
	}
	return a.over.Load(), nil
}

// chatty is an engine that sends an event a second until its reader leaves.
func chatty(w http.ResponseWriter, r *http.Request) error {
	sse.SetHeaders(w.Header())
	for {
		if _, err := w.Write([]byte("data: {}\n\n")); err != nil {
			return err
		}
		select {
		case <-time.After(time.Second):
		case <-r.Context().Done():
			panic(http.ErrAbortHandler) // as reverse_proxy does
		}
	}
}

func TestAStreamEndsWithTheSessionThatOpenedIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var session asked
		open := new(streams.Registry)
		l := Locator{Engines: &fakeEngines{}, Streams: open}
		q := &Request{UserID: "u", Route: Route{Action: policy.ActionEvents, JobID: jobID}, ProjectID: project, Job: &running}
		w := httptest.NewRecorder()
		over := make(chan error, 1)
		go func() {
			over <- served(&l, chatty).follow(w, httptest.NewRequest("GET", "/console/x", nil), q, session.ended)
		}()

		time.Sleep(10 * time.Second)
		if len(over) > 0 {
			t.Fatalf("the stream of a session that goes on has ended: %q", w.Body)
		}
		session.over.Store(true)
		time.Sleep(time.Second)
		synctest.Wait()
		select {
		case err := <-over:
			if err != nil || !strings.HasSuffix(w.Body.String(), `"reason":"session_ended"}`+"\n\n") {
				t.Errorf("%v, %q", err, w.Body)
			}
		default:
			t.Error("a second after its session the stream goes on")
			open.CloseAll(streams.ReasonShutdown)
		}
	})
}

// counter counts the events that are written to it.
type counter struct {
	*httptest.ResponseRecorder

	events atomic.Int64
}

func (c *counter) Write(data []byte) (int, error) {
	c.events.Add(int64(bytes.Count(data, []byte("data: {}"))))
	return c.ResponseRecorder.Write(data)
}

func TestAStreamPausesWhileNoOneCanSayWhetherItsSessionGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var session asked
		open := new(streams.Registry)
		l := Locator{Engines: &fakeEngines{}, Streams: open}
		q := &Request{UserID: "u", Route: Route{Action: policy.ActionEvents, JobID: jobID}, ProjectID: project, Job: &running}
		w := &counter{ResponseRecorder: httptest.NewRecorder()}
		over := make(chan error, 1)
		go func() {
			over <- served(&l, chatty).follow(w, httptest.NewRequest("GET", "/console/x", nil), q, session.ended)
		}()
		sent := func() int {
			synctest.Wait()
			return int(w.events.Load())
		}

		time.Sleep(10 * time.Second)
		session.down.Store(true)
		time.Sleep(time.Second)
		before := sent()
		time.Sleep(time.Minute)
		if after := sent(); after != before || before == 0 {
			t.Errorf("%d events went out without a look at the session", after-before)
		}
		session.down.Store(false)
		time.Sleep(10 * time.Second)
		if after := sent(); after < before+5 {
			t.Errorf("%d events went out in the ten seconds after the session could be looked at again", after-before)
		}

		// One that ends meanwhile gets no further event.
		session.down.Store(true)
		time.Sleep(time.Second)
		before = sent()
		session.over.Store(true)
		session.down.Store(false)
		if err := <-over; err != nil || sent() != before {
			t.Errorf("%v, and %d events after the session's end", err, sent()-before)
		}
	})
}
