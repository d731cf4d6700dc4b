package opa

import (
	"maps"
	"net/http"
	"slices"

	"github.com/open-policy-agent/opa/v1/server/types"
	"github.com/open-policy-agent/opa/v1/server/writer"
	"github.com/open-policy-agent/opa/v1/storage"
)

func (s *server) listPolicies(w http.ResponseWriter, r *http.Request) {
	g, err := s.active()
	if err != nil {
		writer.ErrorAuto(w, err)
		return
	}
	list := []types.PolicyV1{}
	texts, modules := g.Evaluator.Sources(), g.Evaluator.Compiler().Modules
	for _, id := range slices.Sorted(maps.Keys(texts)) {
		list = append(list, types.PolicyV1{ID: id, Raw: texts[id], AST: modules[id]})
	}
	writer.JSONOK(w, types.PolicyListResponseV1{Result: list}, flag(r, types.ParamPrettyV1))
}

func (s *server) getPolicy(w http.ResponseWriter, r *http.Request) {
	g, err := s.active()
	if err != nil {
		writer.ErrorAuto(w, err)
		return
	}
	id := r.PathValue("path")
	text, ok := g.Evaluator.Sources()[id]
	if !ok {
		writer.ErrorAuto(w, &storage.Error{Code: storage.NotFoundErr, Message: "policy id \"" + id + "\""})
		return
	}
	policy := types.PolicyV1{ID: id, Raw: text, AST: g.Evaluator.Compiler().Modules[id]}
	writer.JSONOK(w, types.PolicyGetResponseV1{Result: policy}, flag(r, types.ParamPrettyV1))
}
