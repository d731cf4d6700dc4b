package admin

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/exact"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/access"
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

	access   *access.Door
	registry *keys.Registry
	sessions *sessions.Registry
	projects *projects.Catalog
	ledger   *ledger.Ledger
	policy   *activation.Engine
	logger   *zap.Logger
}

// Parts are what is administered.
type Parts struct {
	Access   *access.Door // decides what admins may do with users' data
	Keys     *keys.Registry
	Sessions *sessions.Registry
	Projects *projects.Catalog
	Ledger   *ledger.Ledger
	Policy   *activation.Engine
}

// Start listens and serves the parts until Close. It sets o.Handler.
func Start(o peer.ServerOptions, p Parts) (*Server, error) {
	o.Logger = cmp.Or(o.Logger, zap.NewNop())
	s := &Server{access: p.Access, registry: p.Keys, sessions: p.Sessions, projects: p.Projects, ledger: p.Ledger, policy: p.Policy, logger: o.Logger}
	o.Handler = bounded(s.routes())
	var err error
	s.Server, err = peer.Start(o)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// bounded bounds the bodies of requests, and what their reads take from those that
// decisions wait for. It names each request to its caller, and to what is decided for it.
func bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		limit := int64(maxBody)
		if strings.HasPrefix(r.URL.Path, "/policy/") {
			limit = bundle.MaxBytes
		}
		r.Body = http.MaxBytesReader(w, r.Body, limit)
		of := peer.Request{ID: rand.Text(), Method: r.Method}
		w.Header().Set("X-Request-Id", of.ID)
		next.ServeHTTP(w, r.WithContext(peer.WithRequest(store.Unhurried(r.Context()), of)))
	})
}

// read is get for users' data: the policy decides.
func (s *Server) read(read func(r *http.Request) (any, error)) http.HandlerFunc {
	return s.act(http.StatusOK, func(r *http.Request, actor string) (any, error) {
		if err := s.allow(r, actor, policy.ActionAdminRead, nameOf(r)); err != nil {
			return nil, err
		}
		return read(r)
	})
}

// change is act for users' data: the policy decides.
func (s *Server) change(status int, do func(r *http.Request, actor string) (any, error)) http.HandlerFunc {
	return s.act(status, func(r *http.Request, actor string) (any, error) {
		if err := s.allow(r, actor, policy.ActionAdminWrite, nameOf(r)); err != nil {
			return nil, err
		}
		return do(r, actor)
	})
}

// changeOf is change for a body that names the user.
func changeOf[Body any](s *Server, user func(Body) string, do func(r *http.Request, actor string, body Body) (any, error)) http.HandlerFunc {
	return s.act(http.StatusCreated, with(func(r *http.Request, actor string, body Body) (any, error) {
		if err := s.allow(r, actor, policy.ActionAdminWrite, named{target: policy.Target{UserID: user(body)}}); err != nil {
			return nil, err
		}
		return do(r, actor, body)
	}))
}

// named is whose data a request names; nothing of it is those of all users.
type named struct {
	target    policy.Target
	projectID string
}

// nameOf reads that out of an address.
func nameOf(r *http.Request) (n named) {
	id, query := r.PathValue("id"), r.URL.Query()
	n.target.UserID = query.Get("user")
	kind, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch kind {
	case "users":
		n.target.UserID = id
	case "keys":
		n.target.KeyID = id
	case "projects":
		n.projectID = id
	case "audit":
		n.target.KeyID = query.Get("key")
	}
	return n
}

// allow returns the policy's refusal. The policy itself and the engines are no user's:
// who may use the socket can always bring back a policy that lets admins in.
func (s *Server) allow(r *http.Request, actor string, action policy.Action, of named) error {
	d, err := s.access.DecideAbout(r.Context(), policy.User{ID: actor, Via: policy.ViaAdmin}, of.target, of.projectID, action)
	if err == nil && !d.Allow {
		err = &Error{d.Status, d.Error}
	}
	return err
}

// get serves what is read.
func (s *Server) get(read func(r *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		result, err := read(r)
		s.answer(w, http.StatusOK, result, err)
	}
}

// act serves what is done on behalf of a caller. After a success the status is the
// given one.
func (s *Server) act(status int, do func(r *http.Request, actor string) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		actor, err := peer.Caller(r)
		if err != nil {
			s.answer(w, 0, nil, &Error{http.StatusForbidden, err.Error()})
			return
		}
		result, err := do(r, actor)
		s.answer(w, status, result, err)
	}
}

// with decodes the body for an act.
func with[Body any](do func(r *http.Request, actor string, body Body) (any, error)) func(*http.Request, string) (any, error) {
	return func(r *http.Request, actor string) (any, error) {
		var body Body
		if err := decode(r, &body); err != nil {
			return nil, &Error{http.StatusBadRequest, err.Error()}
		}
		return do(r, actor, body)
	}
}

// answer writes the result of a request, or its error. One that is not the caller's
// goes to the log.
func (s *Server) answer(w http.ResponseWriter, status int, result any, err error) {
	if err != nil {
		refused := refusal(err)
		if refused == nil {
			s.logger.Error("admin request failed", zap.Error(err))
			refused = failure(err)
		}
		status, result = refused.Status, errorBody{Error: refused.Message}
	}
	s.write(w, status, result)
}

// refusal returns the answer to an error that the caller made, or nil.
func refusal(err error) *Error {
	if refused, ok := errors.AsType[*Error](err); ok {
		return refused
	}
	if errors.Is(err, activation.ErrMeanwhile) {
		return &Error{http.StatusConflict, activation.ErrMeanwhile.Error()}
	}
	if unfit, ok := errors.AsType[*activation.Failure](err); ok {
		return &Error{http.StatusUnprocessableEntity, unfit.Error() + "\n" + unfit.Advice()}
	}
	if refused, ok := errors.AsType[*keys.Refusal](err); ok {
		return &Error{keyStatus(refused.Kind), refused.Message}
	}
	if refused, ok := errors.AsType[*answers.Error](err); ok {
		return &Error{refused.Status, refused.Message}
	}
	switch {
	case errors.Is(err, sidecar.ErrUnknownProject):
		return &Error{http.StatusNotFound, "there is no such project"}
	case errors.Is(err, activation.ErrApproval):
		return &Error{http.StatusForbidden, err.Error()}
	case errors.Is(err, activation.ErrNoneWaits):
		return &Error{http.StatusNotFound, err.Error()}
	case errors.Is(err, activation.ErrUnknownRevision), errors.Is(err, ledger.ErrNoEngines):
		return &Error{http.StatusNotFound, err.Error()}
	}
	return nil
}

// failure returns the answer to an error of the service's own.
func failure(err error) *Error {
	switch {
	case errors.Is(err, store.ErrInDoubt):
		return &Error{http.StatusInternalServerError, "the database did not say whether it was done: look before you do it again"}
	case errors.Is(err, store.ErrBusy):
		return &Error{http.StatusServiceUnavailable, "too many are asking at once: try again in a moment"}
	}
	return &Error{http.StatusInternalServerError, "the service could not do it; its log says why"}
}

func keyStatus(kind error) int {
	switch kind {
	case keys.ErrInvalid:
		return http.StatusBadRequest
	case keys.ErrUnknownUser, sidecar.ErrUnknownKey:
		return http.StatusNotFound
	}
	return http.StatusConflict
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
	err := exact.Decode(r.Body, into)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("the body: %s can't be a %s", wrong.Field, wrong.Value)
	}
	if err != nil {
		return fmt.Errorf("the body: %w", err)
	}
	return nil
}
