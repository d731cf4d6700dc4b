package opa

import (
	"net/http"

	"github.com/open-policy-agent/opa/v1/server/types"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/topdown/lineage"
)

// lineages are the parts of a trace that can be asked for.
var lineages = map[types.ExplainModeV1]func([]*topdown.Event) []*topdown.Event{
	types.ExplainNotesV1: lineage.Notes,
	types.ExplainFailsV1: lineage.Fails,
	types.ExplainFullV1:  lineage.Full,
	types.ExplainDebugV1: lineage.Debug,
}

// explainMode returns the first known value of the parameter explain.
func explainMode(r *http.Request) types.ExplainModeV1 {
	for _, value := range r.URL.Query()[types.ParamExplainV1] {
		if mode := types.ExplainModeV1(value); lineages[mode] != nil {
			return mode
		}
	}
	return types.ExplainOffV1
}

// explanation returns the part of a trace that was asked for.
func explanation(mode types.ExplainModeV1, tracer *topdown.BufferTracer, pretty bool) (types.TraceV1, error) {
	part := lineages[mode]
	if part == nil {
		return nil, nil
	}
	return types.NewTraceV1(part(*tracer), pretty)
}
