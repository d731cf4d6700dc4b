package caddymodule_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/tracing"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/peer/span"
	"github.com/svc-games/svc/test/collector"
	"github.com/svc-games/svc/test/wait"
)

const (
	clientTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	clientSpan  = "00f067aa0ba902b7"
)

// traced runs a gateway that sends its spans to a collector.
func traced(t *testing.T, d *fakeBackend) (*testGateway, *collector.Collector) {
	t.Helper()
	c := collector.New(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "20")
	return d.gateway(t, "\ttracing\n"+wholeAPI), c
}

// request sends one of a client that says in which trace it is, and returns its span.
func (g *testGateway) request(c *collector.Collector, path string, change func(*http.Request)) collector.Span {
	g.t.Helper()
	known := map[string]bool{}
	isOwn := func(s collector.Span) bool { return s.Facts[span.PartKey] == "" && !known[s.ID] }
	for _, s := range c.Spans(isOwn) {
		known[s.ID] = true
	}
	req, err := http.NewRequestWithContext(g.t.Context(), http.MethodGet, "http://"+g.addr+path, http.NoBody)
	if err != nil {
		g.t.Fatal(err)
	}
	req.Header.Set("Traceparent", "00-"+clientTrace+"-"+clientSpan+"-01")
	change(req)
	g.do(req)
	wait.Until(g.t, "the span of "+path+" has come", func() bool { return len(c.Spans(isOwn)) > 0 })
	return c.Spans(isOwn)[0]
}

// TestNoSpanHasAKeyWhereverAClientWroteIt has a client that believes in traces, too: what
// else it sends for them is not passed on.
func TestNoSpanHasAKeyWhereverAClientWroteIt(t *testing.T) {
	t.Setenv("OTEL_PROPAGATORS", "tracecontext,baggage")
	d := newFakeBackend(t)
	key, lost := d.key("key_1", ""), mint.NewKey()
	g, c := traced(t, d)
	with := func(name, value string) func(*http.Request) {
		return func(r *http.Request) {
			r.Header.Set("X-API-Key", key)
			r.Header.Set(name, value)
		}
	}
	got := g.request(c, "/v1/projects", with("User-Agent", "curl "+lost))
	if !strings.HasPrefix(got.Facts["user_agent.original"], "curl sk-***") {
		t.Errorf("the agent is %q", got.Facts["user_agent.original"])
	}
	got = g.request(c, "/no/address/"+lost, with("Accept", "*/*"))
	if !strings.HasPrefix(got.Facts["url.path"], "/no/address/sk-***") {
		t.Errorf("the address is %q", got.Facts["url.path"])
	}
	for _, path := range []string{
		"/v1/projects/" + lost, "/v1/projects?key=" + lost,
		"/v1/generate/" + lost + "/status", "/v1/generate/" + testJob + "/status?projectId=" + lost,
	} {
		got := g.request(c, path, with("Accept", "*/*"))
		if id := got.Facts["svc.project.id"]; strings.Contains(id, "*") {
			t.Errorf("%s: what is no project's id is named as one: %q", path, id)
		}
	}
	g.request(c, "/v1/projects", with("X-Forwarded-For", lost))
	g.request(c, "/v1/projects", with("X-API-Key", lost))
	g.request(c, "/v1/projects", with("Tracestate", "a="+lost))
	g.request(c, "/v1/projects", with("Baggage", "a="+lost))
	d.breakStore(errors.New("the store does not know " + lost))
	g.request(c, "/v1/projects", with("X-API-Key", lost))
	c.WantNone(key, lost, lost[len(lost)-20:])
}

func TestAClientsTraceIsBelievedWhereTheOperatorSaysSoAlone(t *testing.T) {
	t.Setenv("OTEL_TRACES_SAMPLER", "parentbased_always_on")
	d := newFakeBackend(t)
	g, c := traced(t, d)
	same := func(*http.Request) {}
	got := g.request(c, "/v1/projects", same)
	if got.Trace == clientTrace || got.Parent != "" {
		t.Errorf("a client chose the trace: %+v", got)
	}
	t.Setenv("OTEL_PROPAGATORS", "tracecontext")
	g.load(globals, "\ttracing\n"+wholeAPI+"\n\theader X-Reloaded yes")
	got = g.request(c, "/v1/projects", same)
	if got.Trace != clientTrace || got.Parent != clientSpan {
		t.Errorf("the client's trace does not go on: %+v", got)
	}
}

func TestAnEngineGetsTheTraceAndNothingElseOfIt(t *testing.T) {
	t.Setenv("OTEL_PROPAGATORS", "tracecontext,baggage")
	d := newFakeBackend(t)
	got := make(chan *http.Request, 1)
	d.engine(t, asking(got))
	g, _ := traced(t, d)
	req := g.submission(t.Context())
	req.Header.Set("Traceparent", "00-"+clientTrace+"-"+clientSpan+"-01")
	req.Header.Set("Tracestate", "vendor=needle")
	req.Header.Set("Baggage", "vendor=needle")
	g.do(req)
	h := wait.For(t, "the engine is asked", got).Header
	if !strings.HasPrefix(h.Get("Traceparent"), "00-"+clientTrace) || strings.Contains(fmt.Sprint(h), "needle") || h["Tracestate"] != nil {
		t.Errorf("it got %v", h)
	}
}

// TestAClientDoesNotChooseWhetherItsRequestIsRecorded has one that says it is, of a service
// that records none, and then one that says it is not, of a service that records all.
func TestAClientDoesNotChooseWhetherItsRequestIsRecorded(t *testing.T) {
	t.Setenv("OTEL_TRACES_SAMPLER", "parentbased_always_off")
	d := newFakeBackend(t)
	g, c := traced(t, d)
	req, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+g.addr+"/v1/projects?none", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Traceparent", "00-"+clientTrace+"-"+clientSpan+"-01")
	g.do(req)
	t.Setenv("OTEL_TRACES_SAMPLER", "parentbased_always_on")
	g.load(globals, wholeAPI) // without it what was recorded is sent, and the next begins anew
	g.load(globals, "\ttracing\n"+wholeAPI)
	g.request(c, "/v1/projects", func(r *http.Request) {
		r.Header.Set("Traceparent", "00-"+clientTrace+"-"+clientSpan+"-00")
	})
	if spans := c.Spans(func(s collector.Span) bool { return s.Facts[span.PartKey] == "" }); len(spans) != 1 {
		t.Errorf("%d spans, want the second request's: %+v", len(spans), spans)
	}
}
