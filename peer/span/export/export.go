// Package export sends what a process records of traces to a collector.
package export

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.uber.org/zap"
)

// stopTimeout bounds how long a part that stops waits for its collector.
const stopTimeout = 3 * time.Second

// New returns what sends spans to the collector that OpenTelemetry's own variables name, by
// OTLP over HTTP, without the keys in them. Another protocol is an error.
func New(ctx context.Context) (trace.SpanExporter, error) {
	const all, traces = "OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"
	if protocol := cmp.Or(os.Getenv(traces), os.Getenv(all), spoken); protocol != spoken {
		return nil, fmt.Errorf("sending traces: %s is %q: only %s is known", all, protocol, spoken)
	}
	to, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("sending traces: %w", err)
	}
	return masked{to}, nil
}

// spoken is OpenTelemetry's name of OTLP over HTTP.
const spoken = "http/protobuf"

// Start sends the spans of this process to the collector that OpenTelemetry's own variables
// name, OTEL_EXPORTER_OTLP_ENDPOINT first, as New does. Without one nothing is recorded.
// service is what the process is called there. stop sends what is left.
func Start(ctx context.Context, service string, logger *zap.Logger) (stop func(), err error) {
	if os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "" {
		return func() {}, nil
	}
	exporter, err := New(ctx)
	if err != nil {
		return nil, err
	}
	name, err := resource.Merge(resource.Default(), resource.NewSchemaless(attribute.String("service.name", service)))
	if err != nil {
		return nil, fmt.Errorf("sending traces: %w", err)
	}
	provider := trace.NewTracerProvider(trace.WithBatcher(exporter), trace.WithResource(name))
	otel.SetTracerProvider(provider)
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { logger.Warn("sending traces failed", zap.Error(err)) }))
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		if err := provider.Shutdown(ctx); err != nil {
			logger.Warn("sending the last traces failed", zap.Error(err))
		}
	}, nil
}
