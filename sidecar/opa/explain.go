package opa

import (
	"net/http"

	"github.com/open-policy-agent/opa/v1/server/types"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/topdown/lineage"
)

// explainMode returns the first known value of the parameter explain.
func explainMode(r *http.Request) types.ExplainModeV1 {
	for _, value := range r.URL.Query()[types.ParamExplainV1] {
		switch mode := types.ExplainModeV1(value); mode {
		case types.ExplainNotesV1, types.ExplainFailsV1, types.ExplainFullV1, types.ExplainDebugV1:
			return mode
		}
	}
	return types.ExplainOffV1
}

// explanation returns the part of a trace that was asked for.
func explanation(mode types.ExplainModeV1, tracer *topdown.BufferTracer, pretty bool) (types.TraceV1, error) {
	switch mode {
	case types.ExplainNotesV1:
		return types.NewTraceV1(lineage.Notes(*tracer), pretty)
	case types.ExplainFailsV1:
		return types.NewTraceV1(lineage.Fails(*tracer), pretty)
	case types.ExplainFullV1:
		return types.NewTraceV1(lineage.Full(*tracer), pretty)
	case types.ExplainDebugV1:
		return types.NewTraceV1(lineage.Debug(*tracer), pretty)
	}
	return nil, nil
}
