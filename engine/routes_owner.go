package engine

import (
	"errors"
	"io"
	"net/http"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/jobs"
)

// play follows a check of the game as it is.
func (s *server) play(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, contract.MaxPlay))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return &api.Error{Status: http.StatusRequestEntityTooLarge, Message: "The play is too long to be a check."}
	}
	if err != nil {
		return api.BadRequest("The check did not arrive as a whole.")
	}
	played, err := m.Play(r.Context(), body)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, played)
}

// check begins to play the newest revision without a model.
func (s *server) check(m *jobs.Manager, w http.ResponseWriter, _ *http.Request) error {
	begun, err := m.Check()
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, begun)
}

// mend mends what is wrong with the game in a way that leaves no choice.
func (s *server) mend(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	saved, err := m.Mend(r.Context())
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, saved)
}

// lock has jobs leave a file of the game as it is, or no longer.
func (s *server) lock(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	if err := m.SetLock(r.URL.Query().Get("path"), r.Method == http.MethodPut); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, struct{}{})
}

// keepRevision has a revision be kept until a time.
func (s *server) keepRevision(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	rev, err := revisionOf(r.PathValue("rev"))
	if err != nil {
		return err
	}
	var req contract.KeepRequest
	if err := readJSON(w, r, &req); err != nil {
		return err
	}
	if err := m.KeepRevision(rev, req.Until); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, struct{}{})
}

// stopAfterStep has a job end when the step is done that it is at.
func (s *server) stopAfterStep(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	if err := m.StopAfterStep(r.PathValue("id")); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, struct{}{})
}
