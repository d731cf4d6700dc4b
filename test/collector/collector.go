// Package collector is one of OpenTelemetry, over HTTP, for tests of what parts send to it.
package collector

import (
	"compress/gzip"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	collected "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	"google.golang.org/protobuf/proto"
)

// Collector keeps all that it is sent.
type Collector struct {
	URL string
	t   testing.TB

	mu    sync.Mutex // guards spans and raw
	spans []Span
	raw   strings.Builder // all that came, for what must not be in it
}

// Span is a span as it came.
type Span struct {
	Trace, ID, Parent string // hex; Parent is "" at the begin of a trace
	Service, Name     string
	Took              time.Duration
	Facts             map[string]string // the attributes that are texts
}

// New starts a collector that ends with the test.
func New(t testing.TB) *Collector {
	c := &Collector{t: t}
	s := httptest.NewServer(c)
	t.Cleanup(s.Close)
	c.URL = s.URL
	return c
}

func (c *Collector) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
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
				c.spans = append(c.spans, Span{
					hex.EncodeToString(s.TraceId), hex.EncodeToString(s.SpanId), hex.EncodeToString(s.ParentSpanId),
					service, s.Name, time.Duration(s.EndTimeUnixNano - s.StartTimeUnixNano), factsOf(s.Attributes),
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

// Spans returns those that came so far and of which is holds.
func (c *Collector) Spans(is func(Span) bool) []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	var spans []Span
	for _, s := range c.spans {
		if is(s) {
			spans = append(spans, s)
		}
	}
	return spans
}

// WantNone wants none of some texts in all that came.
func (c *Collector) WantNone(texts ...string) {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, text := range texts {
		if strings.Contains(c.raw.String(), text) {
			c.t.Errorf("the traces have %q in them", text)
		}
	}
}
