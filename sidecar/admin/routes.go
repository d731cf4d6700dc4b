package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/projects"
)

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	s.userRoutes(mux)
	s.keyRoutes(mux)
	s.projectRoutes(mux)
	s.gameRoutes(mux)
	s.policyRoutes(mux)
	mux.HandleFunc("GET /audit", s.read(s.audit))
	mux.HandleFunc("GET /engines/owner", s.get(func(r *http.Request) (any, error) {
		return s.ledger.EnginesOwner(r.Context())
	}))
	mux.HandleFunc("DELETE /engines/owner", s.act(http.StatusOK, func(r *http.Request, actor string) (any, error) {
		return s.ledger.ReleaseEngines(r.Context(), actor)
	}))
	mux.HandleFunc("/", s.get(func(r *http.Request) (any, error) {
		return nil, &Error{http.StatusNotFound, fmt.Sprintf("no route %s %s", r.Method, r.URL.Path)}
	}))
	return mux
}

func (s *Server) userRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST /users", changeOf(s, func(b userRequest) string { return b.ID }, func(r *http.Request, actor string, b userRequest) (any, error) {
		return s.registry.CreateUser(r.Context(), actor, b.ID, b.TIK)
	}))
	mux.HandleFunc("GET /users/{id}", s.read(func(r *http.Request) (any, error) {
		return s.registry.User(r.Context(), r.PathValue("id"))
	}))
	mux.HandleFunc("POST /users/{id}/topup", s.change(http.StatusOK, with(func(r *http.Request, actor string, b keys.Credit) (any, error) {
		return s.registry.TopUp(r.Context(), actor, r.PathValue("id"), b)
	})))
	mux.HandleFunc("PATCH /users/{id}/attributes", s.change(http.StatusOK, with(func(r *http.Request, actor string, b attributesRequest) (any, error) {
		if b.Admin {
			return nil, &Error{http.StatusBadRequest, "all attributes of a user are an admin's: leave admin out"}
		}
		return s.registry.SetAttributes(r.Context(), actor, r.PathValue("id"), b.Set)
	})))
	for name, set := range map[string]func(ctx context.Context, actor, userID string) (keys.User, error){
		"suspend": s.registry.Suspend, "resume": s.registry.Resume,
	} {
		mux.HandleFunc("POST /users/{id}/"+name, s.change(http.StatusOK, func(r *http.Request, actor string) (any, error) {
			return set(r.Context(), actor, r.PathValue("id"))
		}))
	}
	mux.HandleFunc("GET /users/{id}/statement", s.read(func(r *http.Request) (any, error) {
		query := r.URL.Query()
		return s.registry.Statement(r.Context(), r.PathValue("id"), query.Get("key"), query.Get("after"))
	}))
	mux.HandleFunc("POST /users/{id}/login-link", s.change(http.StatusCreated, with(func(r *http.Request, actor string, _ struct{}) (any, error) {
		link, err := s.sessions.NewLink(r.Context(), actor, r.PathValue("id"))
		if errors.Is(err, keys.ErrUnknownUser) {
			err = &Error{http.StatusNotFound, "there is no user " + r.PathValue("id")}
		}
		return link, err
	})))
}

func (s *Server) keyRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST /keys", changeOf(s, func(b keys.Request) string { return b.UserID }, func(r *http.Request, actor string, b keys.Request) (any, error) {
		return s.registry.CreateWith(r.Context(), actor, b, nil)
	}))
	mux.HandleFunc("GET /keys", s.read(func(r *http.Request) (any, error) {
		return s.registry.Keys(r.Context(), r.URL.Query().Get("user"))
	}))
	mux.HandleFunc("GET /keys/{id}", s.read(func(r *http.Request) (any, error) {
		return s.registry.Key(r.Context(), r.PathValue("id"))
	}))
	mux.HandleFunc("GET /keys/{id}/usage", s.read(func(r *http.Request) (any, error) {
		return s.registry.Usage(r.Context(), r.PathValue("id"))
	}))
	mux.HandleFunc("PUT /keys/{id}/name", s.change(http.StatusOK, with(func(r *http.Request, actor string, b nameRequest) (any, error) {
		return s.registry.Rename(r.Context(), actor, r.PathValue("id"), b.Name)
	})))
	mux.HandleFunc("PUT /keys/{id}/limits", s.change(http.StatusOK, with(func(r *http.Request, actor string, b limitsRequest) (any, error) {
		return s.registry.SetLimits(r.Context(), actor, r.PathValue("id"), b.Version, b.Limits)
	})))
	for name, set := range map[string]func(ctx context.Context, actor, keyID string) (keys.Key, error){
		"disable": s.registry.Disable, "enable": s.registry.Enable, "revoke": s.registry.Revoke,
	} {
		mux.HandleFunc("POST /keys/{id}/"+name, s.change(http.StatusOK, func(r *http.Request, actor string) (any, error) {
			return set(r.Context(), actor, r.PathValue("id"))
		}))
	}
}

func (s *Server) projectRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /projects", s.read(func(r *http.Request) (any, error) {
		return s.projects.List(r.Context(), r.URL.Query().Get("user"), r.URL.Query().Get("after"))
	}))
	mux.HandleFunc("GET /projects/{id}", s.read(func(r *http.Request) (any, error) {
		return s.projects.Details(r.Context(), r.PathValue("id"))
	}))
	mux.HandleFunc("PATCH /projects/{id}/attributes",
		s.change(http.StatusOK, with(func(r *http.Request, actor string, b attributesRequest) (any, error) {
			return s.projects.SetAttributes(r.Context(), projects.AttributeChange{Actor: actor, ProjectID: r.PathValue("id"), Admin: b.Admin, Set: b.Set})
		})))
}

func (s *Server) gameRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST /projects/{id}/block", s.change(http.StatusOK, with(func(r *http.Request, actor string, b blockRequest) (any, error) {
		return struct{}{}, s.projects.BlockGame(r.Context(), actor, r.PathValue("id"), b.Why)
	})))
	mux.HandleFunc("POST /projects/{id}/unblock", s.change(http.StatusOK, func(r *http.Request, actor string) (any, error) {
		return struct{}{}, s.projects.UnblockGame(r.Context(), actor, r.PathValue("id"))
	}))
	mux.HandleFunc("GET /reports", s.read(func(r *http.Request) (any, error) { return s.projects.Reports(r.Context()) }))
}

func (s *Server) audit(r *http.Request) (any, error) {
	query := r.URL.Query()
	before := int64(0)
	if text := query.Get("before"); text != "" {
		var err error
		if before, err = strconv.ParseInt(text, 10, 64); err != nil || before < 1 {
			return nil, &Error{http.StatusBadRequest, fmt.Sprintf("before can't be %q: want the number of an entry", text)}
		}
	}
	return s.registry.Audit(r.Context(), query.Get("key"), query.Get("user"), before)
}
