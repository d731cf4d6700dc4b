package admin

import (
	"context"
	"errors"
	"net/http"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/sidecar/ledger"
)

func (s *Server) engineRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /engines/owner", func(w http.ResponseWriter, r *http.Request) {
		owner, err := s.ledger.EnginesOwner(r.Context())
		s.answerEngines(w, owner, err)
	})
	mux.HandleFunc("DELETE /engines/owner", func(w http.ResponseWriter, r *http.Request) {
		who, err := peer.Caller(r)
		if err != nil {
			s.fail(w, http.StatusForbidden, err)
			return
		}
		owner, err := s.ledger.ReleaseEngines(r.Context(), who)
		s.answerEngines(w, owner, err)
	})
}

func (s *Server) answerEngines(w http.ResponseWriter, owner contract.Installation, err error) {
	if errors.Is(err, ledger.ErrNoEngines) {
		s.fail(w, http.StatusNotFound, err)
		return
	}
	s.answer(w, http.StatusOK, owner, err)
}

// EnginesOwner returns the installation that has the engines.
func (c *Client) EnginesOwner(ctx context.Context) (contract.Installation, error) {
	return ask[contract.Installation](ctx, c, http.MethodGet, "/engines/owner", nil)
}

// ReleaseEngines lets the next installation have the engines, and returns which
// one had them.
func (c *Client) ReleaseEngines(ctx context.Context) (contract.Installation, error) {
	return ask[contract.Installation](ctx, c, http.MethodDelete, "/engines/owner", nil)
}
