package contract

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	wire "github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
)

var submitCases = []named{
	{"AcceptanceIsOnDiskBeforeTheAnswer", running(acceptanceIsOnDisk)},
	{"SameIDGetsTheSameAnswer", running(sameIDSameAnswer)},
	{"RefusalIsMarkedAndMakesNoJob", running(refusalIsMarked)},
	{"QueueHasTwentyPlaces", running(queueHasTwentyPlaces)},
	{"FencedIDIsNeverAccepted", running(fencedID)},
	{"FenceAfterAcceptanceSaysAccepted", running(fenceAfterAcceptance)},
	{"DrainedEngineTakesNothingUntilUndrained", running(drained)},
}

func acceptanceIsOnDisk(t *testing.T, e *engine) {
	id := e.accept()
	e.restart()
	record := e.record(id)
	if record.JobID != id || record.ProjectID != e.projectID || record.SessionID != sessionID {
		t.Errorf("after the kill: %+v", record)
	}
}

func sameIDSameAnswer(t *testing.T, e *engine) {
	id := mint.NewJobID(time.Now())
	first := e.expect("submission", e.do(e.submission(id, nil)), http.StatusOK)
	want := api.Submission{JobID: id, ProjectID: e.projectID, Status: api.JobQueued, SessionID: sessionID}
	if got := decode[api.Submission](e, first); got != want {
		t.Errorf("the answer is %+v", got)
	}
	again := func(when string) {
		t.Helper()
		for _, c := range []call{
			e.submission(id, nil), e.submission(id, map[string]any{"prompt": "another game"}),
			{method: http.MethodPost, path: "/v1/generate", body: []byte("no JSON"), header: e.submission(id, nil).header},
		} {
			if a := e.expect(when, e.do(c), http.StatusOK); !bytes.Equal(a.body, first.body) {
				t.Errorf("%s: %s, and was %s", when, a.body, first.body)
			}
		}
		if n := len(e.list()); n != 1 {
			t.Errorf("%s: %d jobs", when, n)
		}
	}
	again("at once")
	e.feed.finish(id)
	again("after the end")
	e.restart()
	again("after a kill")
}

func refusalIsMarked(t *testing.T, e *engine) {
	id := mint.NewJobID(time.Now())
	good := e.submission(id, nil)
	spoiled := func(change func(c *call)) call {
		c := good
		c.header = map[string]string{wire.HeaderJobID: id, wire.HeaderSessionID: sessionID}
		change(&c)
		return c
	}
	body := func(text string) call { return spoiled(func(c *call) { c.body = []byte(text) }) }
	skill := func(paths ...string) call {
		var files []map[string]any
		for _, path := range paths {
			files = append(files, map[string]any{"path": path, "content": "x"})
		}
		return e.submission(id, map[string]any{"skills": []map[string]any{{"key": "k", "title": "t", "files": files}}})
	}
	for what, c := range map[string]struct {
		call   call
		status int
	}{
		"no body":                     {body(""), 400},
		"no JSON":                     {body("{"), 400},
		"an array":                    {body("[]"), 400},
		"trailing data":               {body(string(good.body) + "{}"), 400},
		"deep nesting":                {body(`{"context":` + strings.Repeat("[", 100_000)), 400},
		"two prompts":                 {body(`{"projectId":"` + e.projectID + `","prompt":"a","prompt":"b"}`), 400},
		"no prompt":                   {e.submission(id, map[string]any{"prompt": " "}), 400},
		"a prompt that is too long":   {e.submission(id, map[string]any{"prompt": strings.Repeat("x", api.MaxPrompt+1)}), 400},
		"another project":             {e.submission(id, map[string]any{"projectId": mint.NewProjectID()}), 400},
		"an unknown setting's value":  {e.submission(id, map[string]any{"settings": map[string]any{"gameType": "chess"}}), 400},
		"no job id":                   {spoiled(func(c *call) { delete(c.header, wire.HeaderJobID) }), 400},
		"a job id that is a path":     {spoiled(func(c *call) { c.header[wire.HeaderJobID] = "../../etc" }), 400},
		"no session id":               {spoiled(func(c *call) { delete(c.header, wire.HeaderSessionID) }), 400},
		"a huge body":                 {body(`{"prompt":"` + strings.Repeat("x", 9<<20) + `"}`), 413},
		"a skill outside":             {skill("../../etc/passwd"), 400},
		"a skill at an absolute path": {skill("/etc/passwd"), 400},
		"a skill with a backslash":    {skill(`..\..\x`), 400},
		"a skill with one file twice": {skill("a.js", "A.js"), 400},
		"a skill in two forms":        {skill("caf\u00e9.js", "cafe\u0301.js"), 400},
		"a skill that is a device":    {skill("lib/nul.js"), 400},
		"a skill with an unseen sign": {skill("a\u200b.js"), 400},
		"a file as a folder":          {skill("a", "a/b.js"), 400},
	} {
		e.expectRefused(what, e.do(c.call), c.status)
	}
	if n := len(e.list()); n != 0 {
		t.Errorf("%d jobs were made", n)
	}
	e.expect("the id, for a good request", e.do(good), http.StatusOK)
}

// maxQueued is how many jobs may wait.
const maxQueued = 20

func queueHasTwentyPlaces(t *testing.T, e *engine) {
	e.feed.until(wire.FeedStarted, e.accept()) // one runs
	var waiting string
	for range maxQueued {
		waiting = e.accept()
	}
	one := e.submission(mint.NewJobID(time.Now()), nil)
	e.expectRefused("one too many", e.do(one), http.StatusServiceUnavailable)
	e.cancel(waiting)
	e.expect("one more", e.do(one), http.StatusOK)
}

func (e *engine) fence(id string) wire.FenceVerdict {
	e.t.Helper()
	return decode[wire.FenceResponse](e, e.expect("fence", e.post(wire.PathFence, wire.FenceRequest{JobID: id}), http.StatusOK)).Verdict
}

func fencedID(t *testing.T, e *engine) {
	id := mint.NewJobID(time.Now())
	for _, when := range []string{"at once", "after a kill"} {
		if v := e.fence(id); v != wire.Fenced {
			t.Errorf("%s: the verdict is %s", when, v)
		}
		e.expectRefused("submission "+when, e.do(e.submission(id, nil)), http.StatusConflict)
		e.restart()
	}
	if n := len(e.list()); n != 0 {
		t.Errorf("%d jobs", n)
	}
}

func fenceAfterAcceptance(t *testing.T, e *engine) {
	id := e.accept()
	if v := e.fence(id); v != wire.Accepted {
		t.Errorf("the verdict is %s", v)
	}
	e.feed.finish(id)
	e.restart()
	if v := e.fence(id); v != wire.Accepted {
		t.Errorf("after end and kill the verdict is %s", v)
	}
}

func drained(t *testing.T, e *engine) {
	id := e.begin()
	busy := decode[wire.Activity](e, e.expect("draining at work", e.post(wire.PathDrain, struct{}{}), http.StatusConflict))
	if busy.RunningJobs != 1 || busy.UnackedFeed == 0 {
		t.Errorf("the activity at work: %+v", busy)
	}
	e.feed.ack()
	e.feed.until(wire.FeedEnded, id)
	e.expect("draining before the end is acknowledged", e.post(wire.PathDrain, struct{}{}), http.StatusConflict)
	e.feed.ack()
	e.expect("draining at rest", e.post(wire.PathDrain, struct{}{}), http.StatusOK)
	next := e.submission(mint.NewJobID(time.Now()), nil)
	e.expectRefused("a submission to a drained engine", e.do(next), http.StatusServiceUnavailable)
	e.expect("reading meanwhile", e.get(e.route(id, "/status")), http.StatusOK)
	e.expect("undraining", e.post(wire.PathUndrain, struct{}{}), http.StatusOK)
	e.expect("the submission afterwards", e.do(next), http.StatusOK)
}
