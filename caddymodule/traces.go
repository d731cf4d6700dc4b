package caddymodule

import (
	"context"
	"fmt"
	"os"

	"go.opentelemetry.io/contrib/exporters/autoexport"
	"go.opentelemetry.io/contrib/propagators/autoprop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/svc-games/svc/peer/span/export"
)

// Caddy's "tracing" asks these variables where its spans go and whose traces it goes on
// with, and nothing else. ownTraces is the value of both that is the service's.
const (
	exporterVariable   = "OTEL_TRACES_EXPORTER"
	propagatorVariable = "OTEL_PROPAGATORS"
	ownTraces          = "svc"
)

func init() {
	autoprop.RegisterTextMapPropagator(ownTraces, outward{})
	if os.Getenv(propagatorVariable) == "" {
		os.Setenv(propagatorVariable, ownTraces)
	}

	asked := os.Getenv(exporterVariable)
	autoexport.RegisterSpanExporter(ownTraces, func(ctx context.Context) (trace.SpanExporter, error) {
		switch asked {
		case "", "otlp", ownTraces:
			return export.New(ctx)
		}
		return nil, fmt.Errorf("%s is %q: it would show API keys; only otlp and none are known", exporterVariable, asked)
	})
	if asked != "none" {
		os.Setenv(exporterVariable, ownTraces)
	}
}

// outward sends traces on to whom a request is passed, and believes no client's: who
// chooses a trace chooses whether it is recorded.
type outward struct{ propagation.TraceContext }

// Extract implements propagation.TextMapPropagator.
func (outward) Extract(ctx context.Context, _ propagation.TextMapCarrier) context.Context {
	return ctx
}

// Interface guards
var _ propagation.TextMapPropagator = outward{}
