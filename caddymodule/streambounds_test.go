package caddymodule_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/caddymodule"
	"github.com/svc-games/svc/test/wait"
)

// bounded is a configuration with options of the app that bound event streams, and
// a mark by which it is another one than the last.
func (g *testGateway) bounded(options, mark string) []byte {
	g.t.Helper()
	config := string(g.config(globals, wholeAPI+"\n\theader X-Mark "+mark))
	with := strings.Replace(config, `"svc":{`, `"svc":{`+options+`,`, 1)
	if with == config {
		g.t.Fatal("the configuration has no app svc")
	}
	return []byte(with)
}

// follow opens an event stream. It returns the status and, when there is a stream,
// what makes the client leave.
func (g *testGateway) follow(key string) (answer, func()) {
	g.t.Helper()
	req, err := http.NewRequestWithContext(g.t.Context(), "GET", "http://"+g.addr+"/v1/generate/"+testJob+"/events", nil)
	if err != nil {
		g.t.Fatal(err)
	}
	req.Header.Set("X-API-Key", key)
	resp := g.roundTrip(&http.Transport{DisableKeepAlives: true}, req)
	leave := func() { resp.Body.Close() }
	if resp.StatusCode == http.StatusOK {
		g.t.Cleanup(leave)
		return answer{resp, ""}, leave
	}
	defer leave()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		g.t.Fatal(err)
	}
	return answer{resp, string(body)}, nil
}

// streamingEngine runs an engine whose streams end with the test, and counts them.
func streamingEngine(t *testing.T, d *fakeBackend) *atomic.Int32 {
	t.Helper()
	asked := new(atomic.Int32)
	d.engine(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "id: 1\ndata: {}\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	return asked
}

func TestEventStreamsOfAKeyAreBounded(t *testing.T) {
	d := newFakeBackend(t)
	asked := streamingEngine(t, d)
	key, other := d.key("k", ""), d.key("other", "")
	g := d.gateway(t, wholeAPI)
	load := func(options, mark string) {
		t.Helper()
		g.replace(g.bounded(options, mark))
	}
	want := func(key string, status int) func() {
		t.Helper()
		a, leave := g.follow(key)
		if a.StatusCode != status {
			t.Fatalf("a stream was answered %d %s, want %d", a.StatusCode, a.body, status)
		}
		return leave
	}

	load(`"max_streams_per_key":2`, "a")
	leave := want(key, 200)
	want(key, 200)
	const refusals = `svc_event_stream_refusals_total{room="key"}`
	const requests = `svc_requests_total{action="events",class="5xx",reason="event_streams"}`
	before, ended, open := g.metric(refusals), g.metric(requests), g.metric("svc_event_streams")
	a, _ := g.follow(key)
	if a.StatusCode != 503 || a.Header.Get("Retry-After") != "5" ||
		a.body != `{"error":"This API key has 2 event streams open, its limit. Close one, or poll the status instead."}`+"\n" {
		t.Errorf("the third stream was answered %d, Retry-After %q, %s", a.StatusCode, a.Header.Get("Retry-After"), a.body)
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the engine was asked for %d streams of one job, want 1", n)
	}
	if n := g.metric(refusals) - before; n != 1 {
		t.Errorf("%s grew by %v", refusals, n)
	}
	if n := g.metric(requests) - ended; n != 1 {
		t.Errorf("%s grew by %v", requests, n)
	}
	if n := g.metric("svc_event_streams"); n != open {
		t.Errorf("after a refusal %v streams are counted, before it were %v", n, open)
	}
	if strings.Contains(g.logged(), "request failed") {
		t.Error("a client can fill the log with warnings")
	}
	if a := g.send("GET", "/v1/generate/"+testJob+"/status", key, ""); a.StatusCode != 200 {
		t.Errorf("the status is answered %d", a.StatusCode)
	}
	want(other, 200)

	// A reload changes the bound for what comes, and forgets no stream.
	load(`"max_streams_per_key":2`, "b")
	want(key, 503)
	leave()
	wait.Until(t, "a stream that ended gave its place back", func() bool {
		a, _ := g.follow(key)
		return a.StatusCode == 200
	})
	want(key, 503)
	load(`"max_streams_per_key":3`, "c")
	want(key, 200)
	want(key, 503)
	load(`"max_streams":4`, "d") // which are open: 3 of one key, 1 of the other
	a, _ = g.follow(other)
	if a.StatusCode != 503 || strings.Contains(a.body, "API key") {
		t.Errorf("a stream more than all may have was answered %d %s", a.StatusCode, a.body)
	}
	load(`"max_streams":5`, "e")
	want(other, 200)
}

// TestReloadThatFailsLeavesTheBoundsOfStreams reloads with an address that is
// taken, which is found out before the app svc starts, or after.
func TestReloadThatFailsLeavesTheBoundsOfStreams(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	d := newFakeBackend(t)
	streamingEngine(t, d)
	key := d.key("k", "")
	g := d.gateway(t, wholeAPI)
	g.replace(g.bounded(`"max_streams_per_key":1`, "a"))
	g.follow(key)
	broken := strings.Replace(string(g.bounded(`"max_streams_per_key":9`, "b")),
		`"servers":{`, `"servers":{"taken":{"listen":["`+taken.Addr().String()+`"]},`, 1)
	for range 20 {
		if err := caddy.Load([]byte(broken), true); err == nil {
			t.Fatal("a configuration with an address that is taken was loaded")
		}
		g.settle()
		if a, _ := g.follow(key); a.StatusCode != 503 {
			t.Fatalf("the reload was refused, and a second stream is answered %d", a.StatusCode)
		}
	}
}

// TestStreamsTakeAFileEachAndJobsAnother: clients have half of the files, and with the
// engines of the jobs that they read no more than three quarters.
func TestStreamsTakeAFileEachAndJobsAnother(t *testing.T) {
	var files unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err != nil {
		t.Fatal(err)
	}
	streams, jobs, err := caddymodule.DefaultBounds()
	if err != nil {
		t.Fatal(err)
	}
	if want := int(min(10_000, files.Cur/2)); streams != want {
		t.Errorf("of %d files there may be %d streams, want %d", files.Cur, streams, want)
	}
	if streams+jobs > int(files.Cur/4*3)+1 || jobs < streams/2 {
		t.Errorf("of %d files there may be %d streams of %d jobs", files.Cur, streams, jobs)
	}
}

func TestSecondKeyCanStreamWhenOnesPlacesAreTaken(t *testing.T) {
	d := newFakeBackend(t)
	streamingEngine(t, d)
	key, other := d.key("k", ""), d.key("other", "")
	g := d.gateway(t, wholeAPI)
	open := 0
	for range 100 {
		if a, _ := g.follow(key); a.StatusCode != 200 {
			break
		}
		open++
	}
	if open != 64 {
		t.Errorf("one key has %d streams by default, want 64", open)
	}
	if a, _ := g.follow(other); a.StatusCode != 200 {
		t.Errorf("another key's stream is answered %d %s", a.StatusCode, a.body)
	}
}
