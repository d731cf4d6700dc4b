package opa

import (
	"errors"
	"net/http"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/metrics"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/server/types"
	"github.com/open-policy-agent/opa/v1/server/writer"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/version"
)

// unsafeBuiltins are those that OPA's server refuses in queries.
var unsafeBuiltins = map[string]struct{}{ast.HTTPSend.Name: {}}

// readInput reads the input for the document at path, nil when there is none.
type readInput func(r *http.Request, path ast.Ref) (ast.Value, error)

func (s *server) postData(w http.ResponseWriter, r *http.Request) { s.data(w, r, readBody, true) }

func (s *server) getData(w http.ResponseWriter, r *http.Request) { s.data(w, r, readParameter, false) }

// query is a document that is asked for.
type query struct {
	compiler *ast.Compiler
	path     ast.Ref
	body     ast.Body  // asks for path
	input    ast.Value // nil for none
	metrics  metrics.Metrics
	tracer   *topdown.BufferTracer // nil without explanation
	rules    topdown.EvaluatedRuleTracker
}

// data evaluates a document. warn tells of a body without input, as OPA does
// for POST.
func (s *server) data(w http.ResponseWriter, r *http.Request, input readInput, warn bool) {
	g, err := s.active()
	if err != nil {
		writer.ErrorAuto(w, err)
		return
	}
	begin := time.Now()
	q := &query{compiler: g.Evaluator.Compiler(), metrics: metrics.New()}
	q.metrics.Timer(metrics.ServerHandler).Start()
	q.metrics.Counter(metrics.ServerQueryCacheHit) // nothing is cached
	if q.path, q.body, err = parsePath(r); err != nil {
		writer.ErrorAuto(w, types.NewErrorV1(types.CodeInvalidParameter, "invalid path: %v", err))
		return
	}
	q.metrics.Timer(metrics.RegoInputParse).Start()
	if q.input, err = input(r, q.path); err != nil {
		status := http.StatusBadRequest
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			status = http.StatusRequestEntityTooLarge
		}
		writer.ErrorString(w, status, types.CodeInvalidParameter, err)
		return
	}
	q.metrics.Timer(metrics.RegoInputParse).Stop()
	explain := explainMode(r)
	if explain != types.ExplainOffV1 {
		q.tracer = topdown.NewBufferTracer()
	}
	results, err := q.evaluate(r)
	q.metrics.Timer(metrics.ServerHandler).Stop()
	if err != nil {
		writer.ErrorAuto(w, err)
		return
	}
	var out types.DataResponseV1
	if q.path.Equal(decision) && q.input != nil && len(results) > 0 {
		if out.DecisionID, err = s.record(g, begin, q.input, results[0].Expressions[0].Value); err != nil {
			writer.ErrorAuto(w, err)
			return
		}
	}
	if warn && q.input == nil {
		out.Warning = types.NewWarning(types.CodeAPIUsageWarn, types.MsgInputKeyMissing)
	}
	if flag(r, types.ParamMetricsV1) || flag(r, types.ParamInstrumentV1) {
		out.Metrics = q.metrics.All()
	}
	if flag(r, types.ParamProvenanceV1) {
		out.Provenance = provenance(g.Revision)
	}
	if len(results) > 0 {
		out.Result = &results[0].Expressions[0].Value
		if flag(r, types.ParamRuleLabelsV1) {
			out.RuleLabels = q.rules.Labels
		}
	}
	// Of an undefined document only the full trace is shown.
	if explain == types.ExplainFullV1 || len(results) > 0 {
		if out.Explanation, err = explanation(explain, q.tracer, flag(r, types.ParamPrettyV1)); err != nil {
			writer.ErrorAuto(w, err)
			return
		}
	}
	writer.JSONOK(w, out, flag(r, types.ParamPrettyV1))
}

// evaluate asks for the document as OPA's server does.
func (q *query) evaluate(r *http.Request) (rego.ResultSet, error) {
	ctx, instrument := r.Context(), flag(r, types.ParamInstrumentV1)
	options := []func(*rego.Rego){
		rego.Compiler(q.compiler),
		rego.ParsedQuery(q.body),
		rego.ParsedInput(q.input),
		rego.Metrics(q.metrics),
		rego.Instrument(instrument),
		rego.UnsafeBuiltins(unsafeBuiltins),
		rego.StrictBuiltinErrors(flag(r, types.ParamStrictBuiltinErrors)),
		rego.StackTraces(true),
	}
	evalOptions := []rego.EvalOption{
		rego.EvalParsedInput(q.input),
		rego.EvalMetrics(q.metrics),
		rego.EvalInstrument(instrument),
		rego.EvalEvaluatedRuleTracker(&q.rules), // one for each evaluation: they are not safe to share
	}
	if q.tracer != nil {
		options = append(options, rego.QueryTracer(q.tracer))
		evalOptions = append(evalOptions, rego.EvalQueryTracer(q.tracer))
	}
	prepared, err := rego.New(options...).PrepareForEval(ctx)
	if err != nil {
		return nil, err
	}
	return prepared.Eval(ctx, evalOptions...)
}

// provenance names the rules that answered.
func provenance(revision string) *types.ProvenanceV1 {
	return &types.ProvenanceV1{
		Version: version.Version, Vcs: version.Vcs, Timestamp: version.Timestamp, Hostname: version.Hostname,
		Bundles: map[string]types.ProvenanceBundleV1{BundleName: {Revision: revision}},
	}
}
