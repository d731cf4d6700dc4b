package caddymodule_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/test/wait"
)

// metric reads a metric from the page that operators scrape.
func (g *testGateway) metric(name string) float64 {
	g.t.Helper()
	for line := range strings.Lines(g.ask("GET", "/metrics").body) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				g.t.Fatal(err)
			}
			return n
		}
	}
	return 0
}

// grows reports by how much a metric grows while do runs.
func (g *testGateway) grows(name string, do func()) float64 {
	g.t.Helper()
	before := g.metric(name)
	do()
	return g.metric(name) - before
}

func TestEveryRequestIsCountedOnceByItsEnd(t *testing.T) {
	d := newFakeBackend(t)
	key, disabled := d.key("k", ""), d.key("d", "disabled")
	g := d.gateway(t, wholeAPI)
	tests := []struct{ method, path, key, metric string }{
		{"GET", "/v1/projects", key, `svc_requests_total{action="projects.list",class="2xx",reason=""}`},
		{"GET", "/v1/generate/" + testJob + "/status", key, `svc_requests_total{action="status",class="2xx",reason=""}`},
		{"GET", "/v1/projects", "", `svc_requests_total{action="none",class="4xx",reason="missing"}`},
		{"GET", "/v1/projects", mint.NewKey(), `svc_requests_total{action="none",class="4xx",reason="invalid"}`},
		{"GET", "/v1/projects", disabled, `svc_requests_total{action="none",class="4xx",reason="disabled"}`},
		{"GET", "/v1/nowhere", key, `svc_requests_total{action="none",class="4xx",reason="not_found"}`},
		{"GET", "/v1/generate/" + testJob + "/files", key, `svc_requests_total{action="files",class="4xx",reason="other"}`},
	}
	for _, tc := range tests {
		if got := g.grows(tc.metric, func() { g.send(tc.method, tc.path, tc.key, "") }); got != 1 {
			t.Errorf("%s grew by %v", tc.metric, got)
		}
	}
	d.breakStore(errors.New("down for the test"))
	const unavailable = `svc_requests_total{action="projects.list",class="5xx",reason="unavailable"}`
	if got := g.grows(unavailable, func() { g.send("GET", "/v1/projects", key, "") }); got != 1 {
		t.Errorf("%s grew by %v", unavailable, got)
	}
	for _, histogram := range []string{"svc_key_check_seconds_count", "svc_decision_seconds_count"} {
		if got := g.grows(histogram, func() { g.send("GET", "/v1/projects", key, "") }); got != 1 {
			t.Errorf("%s grew by %v", histogram, got)
		}
	}
}

// TestAnEngineThatCanNotStartAsConfiguredIsNoColdStart: to wait does not help, and alerts
// look at the reason.
func TestAnEngineThatCanNotStartAsConfiguredIsNoColdStart(t *testing.T) {
	for reason, err := range map[string]error{
		"engine_starting": &engineproxy.FailedError{Reason: "It took too long."},
		"engine_failed":   &engineproxy.FailedError{Reason: "The image is missing.", Fatal: true},
	} {
		t.Run(reason, func(t *testing.T) {
			d := newFakeBackend(t)
			d.notReady = err
			key := d.key("k", "")
			g := d.gateway(t, wholeAPI)
			count := fmt.Sprintf(`svc_requests_total{action="generate",class="5xx",reason=%q}`, reason)
			if got := g.grows(count, func() {
				g.send("POST", "/v1/generate", key, fmt.Sprintf(`{"projectId":%q,"prompt":"x"}`, testProject))
			}); got != 1 {
				t.Errorf("%s grew by %v", count, got)
			}
		})
	}
}

func TestSubmissionsAreCountedByWhatBecameOfThem(t *testing.T) {
	tests := map[string]struct {
		engine http.HandlerFunc // nil: nothing listens
		count  string
	}{
		"accepted":     {accept, `svc_submissions_total{outcome="accepted"}`},
		"released":     {nil, `svc_submissions_total{outcome="released"}`},
		"a cold start": {nil, `svc_cold_starts_total`},
		"refused by the engine": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(contract.HeaderRefused, "true")
			w.WriteHeader(503)
		}, `svc_submissions_total{outcome="released"}`},
		"lost": {func(w http.ResponseWriter, _ *http.Request) { breakOff(w, "") }, `svc_submissions_total{outcome="lost"}`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := newFakeBackend(t)
			if tc.engine != nil {
				d.engine(t, tc.engine)
			}
			key := d.key("k", "")
			g := d.gateway(t, wholeAPI)
			submit := func() {
				g.send("POST", "/v1/generate", key, fmt.Sprintf(`{"projectId":%q,"prompt":"x"}`, testProject))
			}
			if got := g.grows(tc.count, submit); got != 1 {
				t.Errorf("%s grew by %v", tc.count, got)
			}
			if got := g.grows("svc_engine_wait_seconds_count", submit); got != 1 {
				t.Errorf("svc_engine_wait_seconds grew by %v", got)
			}
		})
	}
}

func TestCountersSurviveAReload(t *testing.T) {
	d := newFakeBackend(t)
	key := d.key("k", "")
	g := d.gateway(t, wholeAPI)
	const counter = `svc_requests_total{action="projects.list",class="2xx",reason=""}`
	g.send("GET", "/v1/projects", key, "")
	before := g.metric(counter)
	g.load(globals, wholeAPI+"\n\theader X-Reloaded yes")
	g.send("GET", "/v1/projects", key, "")
	if got := g.metric(counter); got != before+1 {
		t.Errorf("after a reload %s is %v, want %v", counter, got, before+1)
	}
}

func TestOpenEventStreamsAreCounted(t *testing.T) {
	d := newFakeBackend(t)
	end := make(chan struct{})
	d.engine(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "id: 1\ndata: {}\n\n")
		_ = http.NewResponseController(w).Flush()
		<-end
		_, _ = io.WriteString(w, "id: 2\nevent: job.completed\ndata: {}\n\n")
	})
	key := d.key("k", "")
	g := d.gateway(t, wholeAPI)
	before := g.metric("svc_event_streams")
	req, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+g.addr+"/v1/generate/"+testJob+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", key)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	if got := g.metric("svc_event_streams"); got != before+1 {
		t.Errorf("with an open stream there are %v, want %v", got, before+1)
	}
	close(end)
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	wait.Until(t, "the stream is no longer counted", func() bool { return g.metric("svc_event_streams") == before })
}
