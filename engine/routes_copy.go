package engine

import (
	"archive/zip"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/jobs"
)

// projectZIP answers with all that a project holds at a revision, for another one to begin
// with: the game, and what it is made of.
func (s *server) projectZIP(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	rev, err := revisionOf(r.PathValue("rev"))
	if err != nil {
		return err
	}
	files, err := m.ProjectAt(rev)
	if err != nil {
		return err
	}
	return s.writeZIP(w, r, files)
}

// importZIP makes the files of another project this one's, which has none.
func (s *server) importZIP(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, contract.MaxImport))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &answers.Error{Status: http.StatusRequestEntityTooLarge, Message: "The project is too large to be copied."}
	}
	if err != nil {
		return answers.BadRequest("The ZIP did not arrive as a whole.")
	}
	saved, err := m.Import(r.Context(), body, r.URL.Query().Get("from"))
	return answerWith(w, saved, err)
}

// writeZIP answers with a ZIP of files.
func (s *server) writeZIP(w http.ResponseWriter, r *http.Request, files map[string][]byte) error {
	w.Header().Set("Content-Type", "application/zip")
	archive := zip.NewWriter(w)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		entry, err := archive.Create(name)
		if err == nil {
			_, err = entry.Write(files[name])
		}
		if err != nil {
			s.abort(r, err)
		}
	}
	if err := archive.Close(); err != nil {
		s.abort(r, err)
	}
	return nil
}
