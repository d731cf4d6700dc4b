package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/sidecar/keys"
)

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /users", s.createUser)
	mux.HandleFunc("GET /users/{id}", s.user)
	mux.HandleFunc("POST /users/{id}/topup", s.topUp)
	mux.HandleFunc("GET /users/{id}/statement", s.statement)
	mux.HandleFunc("POST /users/{id}/login-link", s.loginLink)
	mux.HandleFunc("GET /audit", s.audit)
	mux.HandleFunc("POST /keys", s.createKey)
	mux.HandleFunc("GET /keys", s.keys)
	mux.HandleFunc("GET /keys/{id}", s.key)
	mux.HandleFunc("GET /keys/{id}/usage", s.usage)
	mux.HandleFunc("PUT /keys/{id}/name", s.rename)
	mux.HandleFunc("PUT /keys/{id}/limits", s.setLimits)
	mux.HandleFunc("POST /keys/{id}/disable", s.setState(s.registry.Disable))
	mux.HandleFunc("POST /keys/{id}/enable", s.setState(s.registry.Enable))
	mux.HandleFunc("POST /keys/{id}/revoke", s.setState(s.registry.Revoke))
	s.projectRoutes(mux)
	s.engineRoutes(mux)
	s.policyRoutes(mux)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, http.StatusNotFound, fmt.Errorf("no route %s %s", r.Method, r.URL.Path))
	})
	return mux
}

func (s *Server) createUser(w http.ResponseWriter, r *http.Request) {
	var body userRequest
	who, ok := s.read(w, r, &body)
	if !ok {
		return
	}
	user, err := s.registry.CreateUser(r.Context(), who, body.ID, body.TIK)
	s.answer(w, http.StatusCreated, user, err)
}

func (s *Server) user(w http.ResponseWriter, r *http.Request) {
	user, err := s.registry.User(r.Context(), r.PathValue("id"))
	s.answer(w, http.StatusOK, user, err)
}

func (s *Server) topUp(w http.ResponseWriter, r *http.Request) {
	var body keys.Credit
	who, ok := s.read(w, r, &body)
	if !ok {
		return
	}
	user, err := s.registry.TopUp(r.Context(), who, r.PathValue("id"), body)
	s.answer(w, http.StatusOK, user, err)
}

func (s *Server) statement(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	st, err := s.registry.Statement(r.Context(), r.PathValue("id"), query.Get("key"), query.Get("after"))
	s.answer(w, http.StatusOK, st, err)
}

func (s *Server) loginLink(w http.ResponseWriter, r *http.Request) {
	var body struct{}
	who, ok := s.read(w, r, &body)
	if !ok {
		return
	}
	link, err := s.sessions.NewLink(r.Context(), who, r.PathValue("id"))
	if errors.Is(err, keys.ErrUnknownUser) {
		err = &keys.Refusal{Kind: keys.ErrUnknownUser, Message: "there is no user " + r.PathValue("id")}
	}
	s.answer(w, http.StatusCreated, link, err)
}

func (s *Server) audit(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	before := int64(0)
	if text := query.Get("before"); text != "" {
		var err error
		if before, err = strconv.ParseInt(text, 10, 64); err != nil || before < 1 {
			s.fail(w, http.StatusBadRequest, fmt.Errorf("before can't be %q: want the number of an entry", text))
			return
		}
	}
	log, err := s.registry.Audit(r.Context(), query.Get("key"), query.Get("user"), before)
	s.answer(w, http.StatusOK, log, err)
}

func (s *Server) createKey(w http.ResponseWriter, r *http.Request) {
	var body keyRequest
	who, ok := s.read(w, r, &body)
	if !ok {
		return
	}
	key, err := s.registry.Create(r.Context(), who, body.UserID, body.Name, body.Limits)
	s.answer(w, http.StatusCreated, key, err)
}

func (s *Server) keys(w http.ResponseWriter, r *http.Request) {
	list, err := s.registry.Keys(r.Context(), r.URL.Query().Get("user"))
	s.answer(w, http.StatusOK, list, err)
}

func (s *Server) key(w http.ResponseWriter, r *http.Request) {
	key, err := s.registry.Key(r.Context(), r.PathValue("id"))
	s.answer(w, http.StatusOK, key, err)
}

func (s *Server) usage(w http.ResponseWriter, r *http.Request) {
	usage, err := s.registry.Usage(r.Context(), r.PathValue("id"))
	s.answer(w, http.StatusOK, usage, err)
}

func (s *Server) rename(w http.ResponseWriter, r *http.Request) {
	var body nameRequest
	who, ok := s.read(w, r, &body)
	if !ok {
		return
	}
	key, err := s.registry.Rename(r.Context(), who, r.PathValue("id"), body.Name)
	s.answer(w, http.StatusOK, key, err)
}

func (s *Server) setLimits(w http.ResponseWriter, r *http.Request) {
	var body limitsRequest
	who, ok := s.read(w, r, &body)
	if !ok {
		return
	}
	key, err := s.registry.SetLimits(r.Context(), who, r.PathValue("id"), body.Version, body.Limits)
	s.answer(w, http.StatusOK, key, err)
}

func (s *Server) setState(set func(ctx context.Context, actor, keyID string) (keys.Key, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		who, err := peer.Caller(r)
		if err != nil {
			s.fail(w, http.StatusForbidden, err)
			return
		}
		key, err := set(r.Context(), who, r.PathValue("id"))
		s.answer(w, http.StatusOK, key, err)
	}
}

// read decodes the body and returns who asks; when that fails it answers the
// request itself.
func (s *Server) read(w http.ResponseWriter, r *http.Request, body any) (string, bool) {
	who, err := peer.Caller(r)
	if err != nil {
		s.fail(w, http.StatusForbidden, err)
		return "", false
	}
	if err := decode(r, body); err != nil {
		s.fail(w, http.StatusBadRequest, err)
		return "", false
	}
	return who, true
}
