package export

import (
	"fmt"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/svc-games/svc/api/mint"
)

func TestNoPartOfASpanTakesAKeyOut(t *testing.T) {
	key := mint.NewKey()
	sent := tracetest.NewInMemoryExporter()
	provider := trace.NewTracerProvider(trace.WithSyncer(masked{sent}))
	state, err := oteltrace.ParseTraceState("a=" + key)
	if err != nil {
		t.Fatal(err)
	}
	above := oteltrace.NewSpanContext(oteltrace.SpanContextConfig{
		TraceID: oteltrace.TraceID{1}, SpanID: oteltrace.SpanID{1}, TraceFlags: oteltrace.FlagsSampled, TraceState: state,
	})
	_, s := provider.Tracer("test").Start(oteltrace.ContextWithRemoteSpanContext(t.Context(), above), "name "+key,
		oteltrace.WithAttributes(attribute.String("text", "a "+key), attribute.Int("number", 7)),
		oteltrace.WithAttributes(attribute.StringSlice("list", []string{"b", key})),
		oteltrace.WithLinks(oteltrace.Link{SpanContext: above, Attributes: []attribute.KeyValue{attribute.String("link", key)}}))
	s.AddEvent("event "+key, oteltrace.WithAttributes(attribute.String("text", key)))
	s.SetStatus(codes.Error, "no "+key)
	s.End()
	spans := sent.GetSpans()
	if len(spans) != 1 {
		t.Fatalf("%d spans", len(spans))
	}
	got := spans[0]
	shown := fmt.Sprint(got.Name, got.SpanContext.TraceState(), got.Parent.TraceState(), got.Attributes, got.Links, got.Events, got.Status)
	if strings.Contains(shown, key[len(key)-20:]) {
		t.Errorf("it has a key: %s", shown)
	}
	facts := map[string]string{}
	for _, a := range got.Attributes {
		facts[string(a.Key)] = a.Value.String()
	}
	if !strings.HasPrefix(facts["text"], "a sk-***") || facts["number"] != "7" || !strings.Contains(facts["list"], `"b","sk-***`) ||
		!strings.HasPrefix(got.Status.Description, "no sk-***") || got.SpanContext.TraceID() != above.TraceID() {
		t.Errorf("more than the key is gone: %+v", got)
	}
}
