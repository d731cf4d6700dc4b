package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/sidecar/store"
)

// rollbackRequest names a revision; "" is the policy before the active one.
type rollbackRequest struct {
	Revision string `json:"revision"`
}

// policyRoutes adds what is asked of the policy.
func (s *Server) policyRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /policy", s.policyStatus)
	mux.HandleFunc("GET /policy/files", s.policyFiles)
	mux.HandleFunc("POST /policy/activate", s.activatePolicy)
	mux.HandleFunc("POST /policy/rollback", s.rollBackPolicy)
	mux.HandleFunc("GET /policy/shadow", s.shadowReport)
	mux.HandleFunc("PUT /policy/shadow", s.shadowPolicy)
	mux.HandleFunc("DELETE /policy/shadow", s.endShadow)
}

func (s *Server) policyStatus(w http.ResponseWriter, _ *http.Request) {
	s.write(w, http.StatusOK, s.policy.Status())
}

// policyFiles answers the texts of a kept policy by path.
func (s *Server) policyFiles(w http.ResponseWriter, r *http.Request) {
	files, err := s.policy.Files(r.URL.Query().Get("revision"))
	if err != nil {
		s.policyError(w, err)
		return
	}
	texts := make(map[string]string, len(files))
	for name, text := range files {
		texts[name] = string(text)
	}
	s.write(w, http.StatusOK, texts)
}

func (s *Server) activatePolicy(w http.ResponseWriter, r *http.Request) {
	request, ok := s.readPolicy(w, r, "policy.activate")
	if !ok {
		return
	}
	request.Older = r.URL.Query().Get("older") == "true"
	info, err := s.policy.Activate(r.Context(), request)
	if err != nil {
		s.policyError(w, err)
		return
	}
	s.write(w, http.StatusOK, info)
}

func (s *Server) rollBackPolicy(w http.ResponseWriter, r *http.Request) {
	var body rollbackRequest
	who, ok := s.read(w, r, &body)
	if !ok {
		return
	}
	info, err := s.policy.Rollback(r.Context(), who, body.Revision, s.recordPolicy(who, "policy.rollback"))
	if err != nil {
		s.policyError(w, err)
		return
	}
	s.write(w, http.StatusOK, info)
}

func (s *Server) shadowPolicy(w http.ResponseWriter, r *http.Request) {
	request, ok := s.readPolicy(w, r, "policy.shadow")
	if !ok {
		return
	}
	sample, err := strconv.ParseFloat(r.URL.Query().Get("sample"), 64)
	if err != nil || sample <= 0 || sample > 1 {
		s.fail(w, http.StatusBadRequest, errors.New("sample must be a number above 0 and at most 1"))
		return
	}
	candidate, err := s.policy.Shadow(r.Context(), request, sample)
	if err != nil {
		s.policyError(w, err)
		return
	}
	s.write(w, http.StatusOK, candidate)
}

func (s *Server) shadowReport(w http.ResponseWriter, _ *http.Request) {
	report, running := s.policy.ShadowReport()
	s.answerReport(w, report, running)
}

func (s *Server) endShadow(w http.ResponseWriter, _ *http.Request) {
	report, running := s.policy.EndShadow()
	s.answerReport(w, report, running)
}

func (s *Server) answerReport(w http.ResponseWriter, report activation.Report, running bool) {
	if !running {
		s.fail(w, http.StatusNotFound, errors.New("no policy is in shadow"))
		return
	}
	s.write(w, http.StatusOK, report)
}

// readPolicy reads the bundle that a request carries; when that fails it
// answers the request itself.
func (s *Server) readPolicy(w http.ResponseWriter, r *http.Request, action string) (activation.Request, bool) {
	who, err := peer.Caller(r)
	if err != nil {
		s.fail(w, http.StatusForbidden, err)
		return activation.Request{}, false
	}
	files, err := bundle.ReadArchive(r.Body)
	if err != nil {
		s.fail(w, http.StatusBadRequest, err)
		return activation.Request{}, false
	}
	return activation.Request{
		Files: files, Source: "upload of " + r.URL.Query().Get("source"), Actor: who, Confirm: s.recordPolicy(who, action),
	}, true
}

// recordPolicy puts a change of the policy into the audit log before it takes
// effect.
func (s *Server) recordPolicy(who, action string) func(context.Context, activation.Info) error {
	return func(ctx context.Context, next activation.Info) error {
		return s.registry.Record(ctx, store.AuditEntry{
			Actor: who, Action: action, Subject: next.Revision,
			Detail: map[string]any{"source": next.Source, "from": s.policy.Revision()},
		})
	}
}

// policyError answers why a policy was not taken.
func (s *Server) policyError(w http.ResponseWriter, err error) {
	var failure *activation.Failure
	switch {
	case errors.As(err, &failure):
		s.fail(w, http.StatusUnprocessableEntity, fmt.Errorf("%w\n%s", failure, failure.Advice()))
	case errors.Is(err, activation.ErrUnknownRevision):
		s.fail(w, http.StatusNotFound, err)
	default:
		s.answer(w, http.StatusOK, nil, err)
	}
}
