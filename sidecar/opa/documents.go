package opa

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/server/types"
	"github.com/open-policy-agent/opa/v1/server/writer"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"

	"github.com/svc-games/svc/sidecar/activation"
)

// documents are one generation as OPA keeps it: compiled, and its texts in a
// store. They never change.
type documents struct {
	generation *activation.Generation
	compiler   *ast.Compiler
	store      storage.Store
}

func newDocuments(g *activation.Generation) (*documents, error) {
	d := &documents{generation: g, compiler: g.Evaluator.Compiler(), store: inmem.New()}
	texts := g.Evaluator.Sources()
	err := storage.Txn(context.Background(), d.store, storage.WriteParams, func(txn storage.Transaction) error {
		for _, id := range slices.Sorted(maps.Keys(texts)) {
			if err := d.store.UpsertPolicy(context.Background(), txn, id, []byte(texts[id])); err != nil {
				return fmt.Errorf("keeping the text of %s: %w", id, err)
			}
		}
		return nil
	})
	return d, err
}

// policies returns the rules with the given ids, all without.
func (d *documents) policies(ctx context.Context, ids ...string) ([]types.PolicyV1, error) {
	list := []types.PolicyV1{}
	err := storage.Txn(ctx, d.store, storage.TransactionParams{}, func(txn storage.Transaction) error {
		if len(ids) == 0 {
			var err error
			if ids, err = d.store.ListPolicies(ctx, txn); err != nil {
				return err
			}
		}
		for _, id := range ids {
			text, err := d.store.GetPolicy(ctx, txn, id)
			if err != nil {
				return err
			}
			list = append(list, types.PolicyV1{ID: id, Raw: string(text), AST: d.compiler.Modules[id]})
		}
		return nil
	})
	return list, err
}

func (s *server) listPolicies(w http.ResponseWriter, r *http.Request) {
	d, err := s.active()
	if err != nil {
		writer.ErrorAuto(w, err)
		return
	}
	list, err := d.policies(r.Context())
	if err != nil {
		writer.ErrorAuto(w, err)
		return
	}
	slices.SortFunc(list, func(a, b types.PolicyV1) int { return strings.Compare(a.ID, b.ID) })
	writer.JSONOK(w, types.PolicyListResponseV1{Result: list}, flag(r, types.ParamPrettyV1))
}

func (s *server) getPolicy(w http.ResponseWriter, r *http.Request) {
	d, err := s.active()
	if err != nil {
		writer.ErrorAuto(w, err)
		return
	}
	list, err := d.policies(r.Context(), r.PathValue("path"))
	if err != nil {
		writer.ErrorAuto(w, err)
		return
	}
	writer.JSONOK(w, types.PolicyGetResponseV1{Result: list[0]}, flag(r, types.ParamPrettyV1))
}
