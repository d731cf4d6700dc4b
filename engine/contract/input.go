package contract

import (
	"net/http"
	"strings"
	"testing"
	"time"

	wire "github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/test/wait"
)

var inputCases = []named{
	{"UnknownRoutesAndMethodsAreRefusedInJSON", running(unknownRoutes)},
	{"BrokenBodiesAreRefused", running(brokenBodies)},
	{"ClientsThatLeaveDoNoHarm", running(clientsThatLeave)},
}

func unknownRoutes(t *testing.T, e *engine) {
	for _, path := range []string{"/", "/v1", "/v1/projects", "/internal", "/internal/secrets", "/v1/generate/../../etc/passwd"} {
		e.expectError(path, e.get(path), http.StatusNotFound)
	}
	id := mint.NewJobID(time.Now())
	for _, c := range []struct{ method, path, allow string }{
		{http.MethodGet, "/v1/generate", http.MethodPost},
		{http.MethodPost, "/v1/generate/" + id + "/status", http.MethodGet},
		{http.MethodPut, "/v1/generate/" + id, http.MethodDelete},
		{http.MethodDelete, wire.PathFeed, http.MethodGet},
		{http.MethodGet, wire.PathAck, http.MethodPost},
		{http.MethodGet, wire.PathFence, http.MethodPost},
	} {
		a := e.do(call{method: c.method, path: c.path})
		e.expectError(c.method+" "+c.path, a, http.StatusMethodNotAllowed)
		if !strings.Contains(a.header.Get("Allow"), c.allow) {
			t.Errorf("%s %s: Allow is %q", c.method, c.path, a.header.Get("Allow"))
		}
	}
}

func brokenBodies(t *testing.T, e *engine) {
	for _, path := range []string{wire.PathAck, wire.PathFence} {
		for what, body := range map[string]string{
			"nothing": "", "no JSON": "{", "an array": "[1]", "wrong types": `{"jobId": 1, "seq": "x", "feedId": 7}`, "depth": strings.Repeat("[", 1<<20),
		} {
			a := e.do(call{method: http.MethodPost, path: path, body: []byte(body)})
			e.expectError(path+" with "+what, a, http.StatusBadRequest)
		}
	}
	for _, id := range []string{"", "x", "../../x", "job_", strings.Repeat("x", 10_000)} {
		e.expectError("fencing "+id[:min(len(id), 20)], e.post(wire.PathFence, wire.FenceRequest{JobID: id}), http.StatusBadRequest)
	}
	e.expect("the engine afterwards", e.get(wire.PathReady), http.StatusOK)
}

func clientsThatLeave(t *testing.T, e *engine) {
	id := e.begin()
	for range 50 {
		for _, path := range []string{e.route(id, "/events"), wire.PathFeed + "?after=0"} {
			res, err := e.open(t.Context(), call{path: path})
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close() // in the middle
		}
	}
	wait.Until(t, "the streams are closed", func() bool {
		return e.activity().OpenStreams == 0
	})
	e.feed.ack()
	e.checkCompleted("the job", e.feed.finish(id))
}
