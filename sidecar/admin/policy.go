package admin

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/svc-games/svc/api/exact"
	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/store"
)

func (s *Server) policyRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /policy", s.get(func(*http.Request) (any, error) { return s.policy.Status(), nil }))
	mux.HandleFunc("GET /policy/files", s.get(s.policyFiles))
	mux.HandleFunc("GET /policy/decisions", s.read(s.policyDecisions)) // of users, and the policy decides
	mux.HandleFunc("POST /policy/activate", s.act(http.StatusOK, s.activatePolicy))
	mux.HandleFunc("POST /policy/approve", s.act(http.StatusOK, with(func(r *http.Request, actor string, b approvalRequest) (any, error) {
		return s.policy.Approve(r.Context(), activation.Approval{
			Actor: actor, Revision: b.Revision, Signature: b.Signature, Confirm: s.recordPolicy(actor, "policy.approve"),
		})
	})))
	mux.HandleFunc("POST /policy/refuse", s.act(http.StatusOK, with(func(r *http.Request, actor string, b rollbackRequest) (any, error) {
		return s.policy.Refuse(r.Context(), b.Revision, s.recordPolicy(actor, "policy.refuse"))
	})))
	mux.HandleFunc("POST /policy/rollback", s.act(http.StatusOK, with(func(r *http.Request, actor string, b rollbackRequest) (any, error) {
		return s.policy.Rollback(r.Context(), actor, b.Revision, comparedWith(b.From, s.recordPolicy(actor, "policy.rollback")))
	})))
	mux.HandleFunc("GET /policy/shadow", s.get(func(*http.Request) (any, error) {
		now, running := s.policy.ShadowReport()
		return report(now, running, nil)
	}))
	mux.HandleFunc("PUT /policy/shadow", s.act(http.StatusOK, s.shadowPolicy))
	mux.HandleFunc("DELETE /policy/shadow", s.act(http.StatusOK, func(r *http.Request, actor string) (any, error) {
		return report(s.policy.EndShadow(r.Context(), s.recordPolicy(actor, "policy.shadow.end")))
	}))
}

// policyDecisions returns what the decision logs of other sidecars have.
func (s *Server) policyDecisions(r *http.Request) (any, error) {
	var q decisionlog.Query
	if err := exact.Decode(strings.NewReader(r.URL.Query().Get("query")), &q); err != nil {
		return nil, &Error{http.StatusBadRequest, "query: " + err.Error()}
	}
	return s.policy.Gather(r.Context(), q)
}

// policyFiles returns the texts of a policy by path: of one that is kept, or that is with
// what it decided.
func (s *Server) policyFiles(r *http.Request) (any, error) {
	query := r.URL.Query()
	files, err := s.policy.Files(query.Get("revision"))
	if errors.Is(err, activation.ErrUnknownRevision) && query.Get("decided") == "true" {
		files, err = s.policy.Decided(r.Context(), query.Get("revision"))
	}
	texts := make(map[string]string, len(files))
	for name, text := range files {
		texts[name] = string(text)
	}
	return texts, err
}

func (s *Server) activatePolicy(r *http.Request, actor string) (any, error) {
	request, err := s.readPolicy(r, actor, "policy.activate")
	if err != nil {
		return nil, err
	}
	request.Older = r.URL.Query().Get("older") == "true"
	request.Confirm = comparedWith(r.URL.Query().Get("from"), request.Confirm)
	return s.policy.Activate(r.Context(), request)
}

// comparedWith refuses to confirm what was shown to somebody beside another policy than is
// active now; shown is its revision, "" for nothing.
func comparedWith(shown string, confirm activation.Confirm) activation.Confirm {
	return func(ctx context.Context, from, next activation.Info) error {
		if shown != "" && shown != from.Revision {
			said := "the policy was compared with " + shown + ", and meanwhile " + from.Revision + " is active: look again"
			return &Error{http.StatusConflict, said}
		}
		return confirm(ctx, from, next)
	}
}

func (s *Server) shadowPolicy(r *http.Request, actor string) (any, error) {
	request, err := s.readPolicy(r, actor, "policy.shadow")
	if err != nil {
		return nil, err
	}
	sample, err := strconv.ParseFloat(r.URL.Query().Get("sample"), 64)
	if err != nil || sample <= 0 || sample > 1 {
		return nil, &Error{http.StatusBadRequest, "sample must be a number above 0 and at most 1"}
	}
	return s.policy.Shadow(r.Context(), request, sample)
}

func report(report activation.Report, running bool, err error) (any, error) {
	if err == nil && !running {
		err = &Error{http.StatusNotFound, "no policy is in shadow"}
	}
	return report, err
}

// readPolicy reads the bundle that a request carries.
func (s *Server) readPolicy(r *http.Request, actor, action string) (activation.Request, error) {
	files, err := bundle.ReadArchive(r.Body)
	if err != nil {
		return activation.Request{}, &Error{http.StatusBadRequest, err.Error()}
	}
	return activation.Request{
		Files: files, Source: activation.UploadOf + r.URL.Query().Get("source"), Actor: actor, Confirm: s.recordPolicy(actor, action),
	}, nil
}

func (s *Server) recordPolicy(actor, action string) activation.Confirm {
	return RecordPolicy(s.registry, actor, action)
}

// RecordPolicy puts a change of the policy into the audit log before it takes effect.
func RecordPolicy(registry *keys.Registry, actor, action string) activation.Confirm {
	return func(ctx context.Context, from, next activation.Info) error {
		entry := store.AuditEntry{Actor: actor, Action: action, Subject: next.Revision}
		entry.Detail = map[string]any{"source": next.Source, "from": from.Revision}
		if next.Changes != nil {
			entry.Detail["changes"] = next.Changes.String()
		}
		switch {
		case next.Held != nil && action == "policy.activate":
			entry.Action = "policy.propose"
			entry.Detail["held"] = next.Held.String()
		case next.ProposedBy != "":
			entry.Detail["proposedBy"], entry.Detail["approvedBy"] = next.ProposedBy, next.ActivatedBy
		}
		return registry.Record(ctx, entry)
	}
}
