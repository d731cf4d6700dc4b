package e2e

import (
	"encoding/hex"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/peer/span"
	"github.com/svc-games/svc/test/collector"
)

func TestATraceLeadsThroughEveryPart(t *testing.T) {
	inEveryForm(t, aTraceLeadsThroughEveryPart)
}

// aTraceLeadsThroughEveryPart has a gateway that believes its clients: the first span is
// below the client's.
func aTraceLeadsThroughEveryPart(t *testing.T, f form) {
	c := collector.New(t)
	s := newService(t, f, "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL, "OTEL_SERVICE_NAME=svc-gateway", "OTEL_BSP_SCHEDULE_DELAY=50",
		"OTEL_PROPAGATORS=tracecontext")
	s.editCaddyfile("\t# tracing\n", "\ttracing\n")
	s.start()
	key := s.newKey("demo")
	project := s.newProject(key)
	of := func(trace string) map[string]collector.Span { return spansOf(c, trace) }

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
	s.eventually("spans of all parts have come", func() bool {
		parts, from := map[string]bool{"": false}, map[string]bool{} // "" is the gateway's own
		for _, one := range of(trace) {
			parts[one.Facts[span.PartKey]], from[one.Service] = true, true
		}
		return parts[""] && parts["engine"] && parts["engine-proxy"] && parts["sidecar"] && maps.Equal(from, services)
	})
	spans := of(trace)
	for _, one := range spans {
		if _, there := spans[one.Parent]; !there && one.Parent != client {
			t.Errorf("the span %v hangs on nothing", one)
		}
		if one.Parent != client {
			continue
		}
		for name, value := range map[string]string{
			"svc.request_id": requestID, "svc.user": "demo", "svc.key.id": key.ID, "svc.action": "generate",
			"svc.project.id": project, "svc.job.id": sub.JobID, "svc.rule": "allowed",
		} {
			if one.Facts[name] != value {
				t.Errorf("%s is %q, want %q", name, one.Facts[name], value)
			}
		}
	}

	if records := s.readEvents(s.events(key, sub, "").Body); len(records) == 0 { // to the job's end
		t.Error("a stream that is traced has no events")
	}

	trace = strings.Repeat("cd", 16)
	a := s.call(apiKey{Secret: mint.NewKey()}, "GET", "/v1/projects", nil, "Traceparent", "00-"+trace+"-"+secondClient+"-01")
	s.eventually("the span of a refusal has come", func() bool {
		return slices.ContainsFunc(slices.Collect(maps.Values(of(trace))), func(one collector.Span) bool {
			return one.Facts["svc.refused"] == "401" && one.Facts["svc.request_id"] == a.header.Get("X-Request-Id")
		})
	})
	c.WantNone(key.Secret, "needle-of-a-query", brief)
}

// spansOf returns the spans of one trace that came so far, by their ids.
func spansOf(c *collector.Collector, trace string) map[string]collector.Span {
	spans := map[string]collector.Span{}
	for _, one := range c.Spans(func(one collector.Span) bool { return one.Trace == trace }) {
		spans[one.ID] = one
	}
	return spans
}
