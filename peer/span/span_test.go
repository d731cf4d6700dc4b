package span_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/svc-games/svc/peer/span"
)

func TestWhatIsNotTracedCostsNothing(t *testing.T) {
	h := http.Header{}
	if n := testing.AllocsPerRun(100, func() {
		ctx, end := span.Start(t.Context(), "sidecar", "decide")
		span.Inject(ctx, h)
		ctx = span.Extract(ctx, h)
		end(nil)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if len(h) != 0 {
		t.Errorf("it sends %v", h)
	}
}

func TestASpanHangsOnTheOneOfThePartThatAsked(t *testing.T) {
	recorded := tracetest.NewSpanRecorder()
	here := trace.NewTracerProvider(trace.WithSpanProcessor(recorded))
	was := otel.GetTracerProvider()
	otel.SetTracerProvider(here) // of the process that is asked
	defer otel.SetTracerProvider(was)

	elsewhere := trace.NewTracerProvider()
	asking, root := elsewhere.Tracer("caddy").Start(t.Context(), "gateway")
	h := http.Header{"Traceparent": {"00-00000000000000000000000000000001-0000000000000001-01"}} // of a request before
	span.Inject(asking, h)

	asked, end := span.Start(span.Extract(context.Background(), h), "sidecar", "reserve")
	span.Describe(asked, "svc.job.id", "job_1", "svc.rule", "")
	end(errors.New("no quota"))
	spans := recorded.Ended()
	if len(spans) != 1 {
		t.Fatalf("%d spans", len(spans))
	}
	got := spans[0]
	if got.Name() != "sidecar reserve" || got.SpanContext().TraceID() != root.SpanContext().TraceID() || got.Parent().SpanID() != root.SpanContext().SpanID() {
		t.Errorf("%s of the trace %s below %s", got.Name(), got.SpanContext().TraceID(), got.Parent().SpanID())
	}
	if got.Status().Code != codes.Error || got.Status().Description != "no quota" || len(got.Attributes()) != 2 {
		t.Errorf("status %v, attributes %v", got.Status(), got.Attributes())
	}
}

// TestNothingOfAClientsGoesOnWithATrace: what a client wrote beside its trace is of any
// length, and would reach every part, and engines.
func TestNothingOfAClientsGoesOnWithATrace(t *testing.T) {
	state, err := oteltrace.ParseTraceState("vendor=needle")
	if err != nil {
		t.Fatal(err)
	}
	ctx := oteltrace.ContextWithRemoteSpanContext(t.Context(), oteltrace.NewSpanContext(oteltrace.SpanContextConfig{
		TraceID: oteltrace.TraceID{1}, SpanID: oteltrace.SpanID{1}, TraceFlags: oteltrace.FlagsSampled, TraceState: state,
	}))
	h := http.Header{}
	span.Inject(ctx, h)
	if len(h) != 1 || h.Get("Traceparent") == "" {
		t.Errorf("it sends %v", h)
	}
	h.Set("Tracestate", "vendor=needle") // from a part of an earlier version
	if got := oteltrace.SpanContextFromContext(span.Extract(t.Context(), h)); !got.IsValid() || got.TraceState().Len() != 0 {
		t.Errorf("it takes %v", got)
	}
}
