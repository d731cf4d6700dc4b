// Package span records where the time of a client's request goes, as spans of
// OpenTelemetry. The gateway's "tracing", a module of Caddy's own, begins a trace; of a
// request without one nothing is recorded, and nothing is allocated.
package span

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// PartKey is the attribute that says what was at work: sidecar, ledger, engine-proxy or engine.
const PartKey = "svc.part"

// header carries a trace from one part to another, as W3C's Trace Context has it.
const header = "Traceparent"

// Start begins a span of what a part does for a request, below the one in ctx. end ends
// it, with the error that came of it or nil.
func Start(ctx context.Context, part, name string) (_ context.Context, end func(error)) {
	above := trace.SpanFromContext(ctx)
	if !above.SpanContext().IsSampled() {
		return ctx, unrecorded
	}
	provider := above.TracerProvider()
	if above.SpanContext().IsRemote() {
		provider = otel.GetTracerProvider() // this process's own, or one that records nothing
	}
	ctx, s := provider.Tracer("svc").Start(ctx, part+" "+name, trace.WithAttributes(attribute.String(PartKey, part)))
	return ctx, func(err error) {
		if err != nil {
			s.SetStatus(codes.Error, err.Error())
		}
		s.End()
	}
}

func unrecorded(error) {}

// Describe adds facts to the span in ctx, those that are not "". facts are names and
// values in turn.
func Describe(ctx context.Context, facts ...string) {
	s := trace.SpanFromContext(ctx)
	for i := 0; i < len(facts); i += 2 {
		if facts[i+1] != "" {
			s.SetAttributes(attribute.String(facts[i], facts[i+1]))
		}
	}
}

// Fail says that the span in ctx came to nothing.
func Fail(ctx context.Context, err error) {
	trace.SpanFromContext(ctx).SetStatus(codes.Error, err.Error())
}

// Inject sends the trace in ctx with a request, and no other.
func Inject(ctx context.Context, h http.Header) {
	h.Del(header)
	propagation.TraceContext{}.Inject(ctx, carrier{propagation.HeaderCarrier(h)})
}

// Extract returns ctx with the trace that came with a request.
func Extract(ctx context.Context, h http.Header) context.Context {
	if h.Get(header) == "" {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, carrier{propagation.HeaderCarrier(h)})
}

// carrier is the one header that carries a trace. The other of Trace Context, tracestate,
// is what a client wrote, of any length, and means nothing here.
type carrier struct{ propagation.HeaderCarrier }

func (c carrier) Get(name string) string {
	if http.CanonicalHeaderKey(name) != header {
		return ""
	}
	return c.HeaderCarrier.Get(name)
}

func (c carrier) Set(name, value string) {
	if http.CanonicalHeaderKey(name) == header {
		c.HeaderCarrier.Set(name, value)
	}
}
