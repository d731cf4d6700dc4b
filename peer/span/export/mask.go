package export

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/svc-games/svc/api/mint"
)

// masked sends spans on without the keys in them. It is the one way out, since what
// records spans is not ours alone, and copies what clients write: addresses, agents.
type masked struct{ trace.SpanExporter }

func (m masked) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	out := make([]trace.ReadOnlySpan, len(spans))
	for i, s := range spans {
		out[i] = clean{s}
	}
	return m.SpanExporter.ExportSpans(ctx, out)
}

// clean is a span without keys, and without the tracestate, which is a client's.
type clean struct{ trace.ReadOnlySpan }

func (c clean) Name() string { return text(c.ReadOnlySpan.Name()) }

func (c clean) SpanContext() oteltrace.SpanContext { return stateless(c.ReadOnlySpan.SpanContext()) }

func (c clean) Parent() oteltrace.SpanContext { return stateless(c.ReadOnlySpan.Parent()) }

func stateless(c oteltrace.SpanContext) oteltrace.SpanContext {
	return c.WithTraceState(oteltrace.TraceState{})
}

func (c clean) Attributes() []attribute.KeyValue { return attributes(c.ReadOnlySpan.Attributes()) }

func (c clean) Status() trace.Status {
	s := c.ReadOnlySpan.Status()
	s.Description = text(s.Description)
	return s
}

func (c clean) Events() []trace.Event {
	events := c.ReadOnlySpan.Events()
	out := make([]trace.Event, len(events))
	for i, e := range events {
		e.Name, e.Attributes = text(e.Name), attributes(e.Attributes)
		out[i] = e
	}
	return out
}

// Links are none: nothing here makes any, and what they would have is a client's.
func (clean) Links() []trace.Link { return nil }

func text(s string) string {
	raw := []byte(s)
	mint.MaskKeys(raw)
	return string(raw)
}

// attributes masks values of every kind; one with a key in it becomes a text.
func attributes(all []attribute.KeyValue) []attribute.KeyValue {
	out := make([]attribute.KeyValue, len(all))
	for i, a := range all {
		said := a.Value.String()
		if shown := text(said); shown != said {
			a.Value = attribute.StringValue(shown)
		}
		out[i] = a
	}
	return out
}
