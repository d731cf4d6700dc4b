package e2e

import (
	"compress/gzip"
	"encoding/hex"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	collected "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	"google.golang.org/protobuf/proto"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/peer/span"
)

// collector is one of OpenTelemetry, over HTTP.
type collector struct {
	*httptest.Server
	t *testing.T

	mu    sync.Mutex // guards spans and raw
	spans []received
	raw   strings.Builder // all that came, for what must not be in it
}

// received is a span as it came.
type received struct {
	trace, id, parent string // hex
	service           string
	facts             map[string]string
}

func newCollector(t *testing.T) *collector {
	c := &collector{t: t}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(r.Body)
		if err != nil {
			c.t.Errorf("what came is not packed: %v", err)
			return
		}
		body = unpacked
	}
	raw, err := io.ReadAll(body)
	if err != nil {
		return // who sent it has ended
	}
	var batch collected.ExportTraceServiceRequest
	if err := proto.Unmarshal(raw, &batch); err != nil || r.URL.Path != "/v1/traces" {
		c.t.Errorf("%s is no batch of spans: %v", r.URL.Path, err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw.Write(raw)
	for _, of := range batch.ResourceSpans {
		service := factsOf(of.Resource.Attributes)["service.name"]
		for _, scope := range of.ScopeSpans {
			for _, s := range scope.Spans {
				c.spans = append(c.spans, received{
					hex.EncodeToString(s.TraceId), hex.EncodeToString(s.SpanId), hex.EncodeToString(s.ParentSpanId),
					service, factsOf(s.Attributes),
				})
			}
		}
	}
}

func factsOf(attributes []*common.KeyValue) map[string]string {
	facts := map[string]string{}
	for _, a := range attributes {
		facts[a.Key] = a.Value.GetStringValue()
	}
	return facts
}

// trace returns the spans of one trace that came so far, by their ids.
func (c *collector) trace(id string) map[string]received {
	c.mu.Lock()
	defer c.mu.Unlock()
	spans := map[string]received{}
	for _, s := range c.spans {
		if s.trace == id {
			spans[s.id] = s
		}
	}
	return spans
}

func TestATraceLeadsThroughEveryPart(t *testing.T) {
	inEveryForm(t, aTraceLeadsThroughEveryPart)
}

func aTraceLeadsThroughEveryPart(t *testing.T, f form) {
	c := newCollector(t)
	s := newService(t, f, "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL, "OTEL_SERVICE_NAME=svc-gateway", "OTEL_BSP_SCHEDULE_DELAY=50")
	s.editCaddyfile("\t# tracing\n", "\ttracing\n")
	s.start()
	key := s.newKey("demo")
	project := s.newProject(key)

	// The client's own trace goes on. A submission that comes too early is of another one.
	const client, secondClient = "00f067aa0ba902b7", "b7ad6b7169203331"
	var sub api.Submission
	var requestID, trace string
	tries := 0
	s.eventually("the submission is accepted", func() bool {
		tries++
		trace = strings.Repeat("ab", 15) + hex.EncodeToString([]byte{byte(tries)})
		a := s.call(key, "POST", "/v1/generate?x=needle-of-a-query", map[string]any{"projectId": project, "prompt": brief},
			"Traceparent", "00-"+trace+"-"+client+"-01")
		requestID = a.header.Get("X-Request-Id")
		if a.status == http.StatusOK {
			s.decode(a.body, &sub)
		}
		return a.status == http.StatusOK
	})
	services := map[string]bool{"svc-gateway": true}
	if f.split() {
		services["svc-sidecar"], services["svc-engine-proxy"] = true, true
	}
	want := []string{"", "engine", "engine-proxy", "sidecar"} // "" is the gateway's own
	s.eventually("spans of all parts have come", func() bool {
		parts, from := map[string]bool{}, map[string]bool{}
		for _, one := range c.trace(trace) {
			parts[one.facts[span.PartKey]], from[one.service] = true, true
		}
		return slices.Equal(slices.Sorted(maps.Keys(parts)), want) && maps.Equal(from, services)
	})
	spans := c.trace(trace)
	for _, one := range spans {
		if _, there := spans[one.parent]; !there && one.parent != client {
			t.Errorf("the span %v hangs on nothing", one)
		}
		if one.parent != client {
			continue
		}
		for name, value := range map[string]string{
			"svc.request_id": requestID, "svc.user": "demo", "svc.key.id": key.ID, "svc.action": "generate",
			"svc.project.id": project, "svc.job.id": sub.JobID, "svc.rule": "allowed",
		} {
			if one.facts[name] != value {
				t.Errorf("%s is %q, want %q", name, one.facts[name], value)
			}
		}
	}

	if records := s.readEvents(s.events(key, sub, "").Body); len(records) == 0 { // to the job's end
		t.Error("a stream that is traced has no events")
	}

	trace = strings.Repeat("cd", 16)
	a := s.call(apiKey{Secret: api.NewKey()}, "GET", "/v1/projects", nil, "Traceparent", "00-"+trace+"-"+secondClient+"-01")
	s.eventually("the span of a refusal has come", func() bool {
		return slices.ContainsFunc(slices.Collect(maps.Values(c.trace(trace))), func(one received) bool {
			return one.facts["svc.refused"] == "401" && one.facts["svc.request_id"] == a.header.Get("X-Request-Id")
		})
	})
	c.wantNone(key.Secret, "needle-of-a-query", brief)
}

// wantNone wants none of some texts in all that came.
func (c *collector) wantNone(texts ...string) {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, text := range texts {
		if strings.Contains(c.raw.String(), text) {
			c.t.Errorf("the traces have %q in them", text)
		}
	}
}
