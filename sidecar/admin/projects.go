package admin

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/projects"
)

// attributesRequest sets attributes of a project; null removes one.
type attributesRequest struct {
	Set map[string]*string `json:"set"`
}

func (s *Server) projectRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /projects", s.listProjects)
	mux.HandleFunc("GET /projects/{id}", s.project)
	mux.HandleFunc("PATCH /projects/{id}/attributes", s.setAttributes)
}

func (s *Server) listProjects(w http.ResponseWriter, r *http.Request) {
	page, err := s.projects.List(r.Context(), r.URL.Query().Get("user"), r.URL.Query().Get("after"))
	s.answerProject(w, page, err)
}

func (s *Server) project(w http.ResponseWriter, r *http.Request) {
	details, err := s.projects.Details(r.Context(), r.PathValue("id"))
	s.answerProject(w, details, err)
}

func (s *Server) setAttributes(w http.ResponseWriter, r *http.Request) {
	var body attributesRequest
	who, ok := s.read(w, r, &body)
	if !ok {
		return
	}
	details, err := s.projects.SetAttributes(r.Context(), projects.AttributeChange{
		Actor: who, ProjectID: r.PathValue("id"), Set: body.Set,
	})
	s.answerProject(w, details, err)
}

func (s *Server) answerProject(w http.ResponseWriter, result any, err error) {
	var refusal *api.Error
	switch {
	case errors.As(err, &refusal):
		s.fail(w, refusal.Status, errors.New(refusal.Message))
	case errors.Is(err, sidecar.ErrUnknownProject):
		s.fail(w, http.StatusNotFound, fmt.Errorf("there is no such project"))
	default:
		s.answer(w, http.StatusOK, result, err)
	}
}
