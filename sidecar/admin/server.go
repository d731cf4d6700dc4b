package admin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"go.uber.org/zap"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/sessions"
	"github.com/svc-games/svc/sidecar/store"
)

// Server is the admin API on its listener.
type Server struct {
	*peer.Server

	registry *keys.Registry
	sessions *sessions.Registry
	projects *projects.Catalog
	ledger   *ledger.Ledger
	policy   *activation.Engine
	logger   *zap.Logger
}

// Parts are what is administered.
type Parts struct {
	Keys     *keys.Registry
	Sessions *sessions.Registry
	Projects *projects.Catalog
	Ledger   *ledger.Ledger
	Policy   *activation.Engine
}

// Start listens and serves the parts until Close. It sets o.Handler.
func Start(o peer.ServerOptions, p Parts) (*Server, error) {
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	s := &Server{registry: p.Keys, sessions: p.Sessions, projects: p.Projects, ledger: p.Ledger, policy: p.Policy, logger: o.Logger}
	o.Handler = bounded(s.routes())
	var err error
	s.Server, err = peer.Start(o)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// bounded bounds the bodies of requests, and what their reads take from those that
// decisions wait for.
func bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		limit := int64(maxBody)
		if strings.HasPrefix(r.URL.Path, "/policy/") {
			limit = bundle.MaxBytes
		}
		r.Body = http.MaxBytesReader(w, r.Body, limit)
		next.ServeHTTP(w, r.WithContext(store.Unhurried(r.Context())))
	})
}

// answer writes the result of a request, or its error with the status that
// says whose fault it is.
func (s *Server) answer(w http.ResponseWriter, status int, result any, err error) {
	if err == nil {
		s.write(w, status, result)
		return
	}
	var refusal *keys.Refusal
	if !errors.As(err, &refusal) {
		s.logger.Error("admin request failed", zap.Error(err))
		message := "the service could not do it; its log says why"
		status := http.StatusInternalServerError
		switch {
		case errors.Is(err, store.ErrInDoubt):
			message = "the database did not say whether it was done: look before you do it again"
		case errors.Is(err, store.ErrBusy):
			status, message = http.StatusServiceUnavailable, "too many are asking at once: try again in a moment"
		}
		s.fail(w, status, errors.New(message))
		return
	}
	switch refusal.Kind {
	case keys.ErrInvalid:
		s.fail(w, http.StatusBadRequest, refusal)
	case keys.ErrUnknownUser, sidecar.ErrUnknownKey:
		s.fail(w, http.StatusNotFound, refusal)
	default:
		s.fail(w, http.StatusConflict, refusal)
	}
}

func (s *Server) fail(w http.ResponseWriter, status int, err error) {
	s.write(w, status, errorBody{Error: err.Error()})
}

func (s *Server) write(w http.ResponseWriter, status int, body any) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		s.logger.Error("encoding an admin answer", zap.Error(err))
		status = http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // the client is gone if it fails
}

// decode reads a body that holds one JSON object with known members only.
func decode(r *http.Request, into any) error {
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			return fmt.Errorf("the body: %s can't be a %s", wrong.Field, wrong.Value)
		}
		return fmt.Errorf("the body: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("the body: data after the object")
	}
	return nil
}
