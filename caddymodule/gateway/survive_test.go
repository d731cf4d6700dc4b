package gateway

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/caddymodule/gateway/joblog"
	"github.com/svc-games/svc/caddymodule/gateway/streams"
	"github.com/svc-games/svc/sidecar"
)

// buggyLog is a log of one event, in reading on from which there is a bug.
type buggyLog struct{ sent atomic.Bool }

func (b *buggyLog) Open(context.Context, joblog.Job, uint64) (joblog.Events, error) { return b, nil }
func (b *buggyLog) Await(context.Context, joblog.Job) bool                          { return true }
func (b *buggyLog) Close()                                                          {}

func (b *buggyLog) Next() (joblog.Event, error) {
	if b.sent.Swap(true) {
		panic("a bug")
	}
	return joblog.Event{ID: 1, Block: []byte(eventOf(1, "job.started"))}, nil
}

// TestABugInFollowingAJobEndsItsStreamAlone: no server recovers the goroutine that follows it.
func TestABugInFollowingAJobEndsItsStreamAlone(t *testing.T) {
	var broke error
	l := Locator{
		Sidecar: &fakeSidecar{decision: allowed, jobs: map[string]sidecar.Job{jobID: running}}, Streams: new(streams.Registry),
		Jobs: joblog.New(new(buggyLog)), StreamBroken: func(_ string, err error) { broke = err },
	}
	w := httptest.NewRecorder()
	err := l.Serve(w, httptest.NewRequest("GET", "/v1/x", nil), aStream("k", running), nil)
	if err != nil || !strings.HasSuffix(w.Body.String(), eventOf(1, "job.started")) {
		t.Errorf("%v, the client has %q", err, w.Body)
	}
	if broke == nil || !strings.Contains(broke.Error(), "a bug") {
		t.Errorf("its end is not told: %v", broke)
	}
	if l.Jobs.Len() != 0 || l.Streams.Len() != 0 {
		t.Error("the stream is not let go")
	}
}

// absentEngines never get ready, and of no job does the end come that buggySidecar awaits.
type (
	absentEngines struct{ fakeEngines }
	buggySidecar  struct{ fakeSidecar }
)

func (*absentEngines) AwaitReady(ctx context.Context, _ string) error {
	<-ctx.Done()
	return ctx.Err()
}

func (*buggySidecar) AwaitEnd(context.Context, string) (sidecar.Job, error) { panic("a bug") }

// TestABugInAwaitingAJobsEndIsThatOfWhoAwaitsIt: it is in a goroutine of its own.
func TestABugInAwaitingAJobsEndIsThatOfWhoAwaitsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events := &EngineEvents{Engines: &absentEngines{}, Sidecar: &buggySidecar{}}
		began := time.Now()
		defer func() {
			if p := recover(); p == nil || !strings.Contains(fmt.Sprint(p), "a bug") || time.Since(began) > 0 {
				t.Errorf("after %s: %v", time.Since(began), p)
			}
		}()
		events.Await(t.Context(), joblog.Job{ID: jobID})
	})
}
