package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/jobs"
)

func (s *server) workspace(m *jobs.Manager, w http.ResponseWriter, _ *http.Request) error {
	found, err := m.Workspace()
	return answerWith(w, found, err)
}

// file answers with a file of the game, with its SHA-256 as ETag.
func (s *server) file(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	name, at := r.URL.Query().Get("path"), r.URL.Query().Get("rev")
	var data []byte
	var err error
	if at == contract.RevBuilt {
		data, err = m.Built(name)
	} else {
		var rev int
		if rev, err = revisionOf(at); err == nil {
			data, err = m.File(name, rev)
		}
	}
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:])+`"`)
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(data) // the reader may have left
	return nil
}

// saveFile saves a file that is still what If-Match names, or is new with
// If-None-Match: *.
func (s *server) saveFile(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	was, err := precondition(r.Header)
	if err != nil {
		return err
	}
	edit := jobs.Edit{Path: r.URL.Query().Get("path"), Was: was, Delete: r.Method == http.MethodDelete}
	if !edit.Delete {
		edit.Data, err = io.ReadAll(http.MaxBytesReader(w, r.Body, contract.MaxEdit))
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return &answers.Error{Status: http.StatusRequestEntityTooLarge, Message: fmt.Sprintf("A file may have %d bytes.", contract.MaxEdit)}
		}
		if err != nil {
			return answers.BadRequest("The file did not arrive as a whole.")
		}
	}
	saved, err := m.Edit(r.Context(), edit)
	if conflict, ok := errors.AsType[*jobs.ConflictError](err); ok {
		return writeJSON(w, http.StatusPreconditionFailed, contract.Conflict{
			Error: "The file was changed meanwhile.", Head: conflict.Head, SHA256: conflict.SHA256,
		})
	}
	return answerWith(w, saved, err)
}

// precondition returns the SHA-256 that a file must have, "" for one that must not be
// there.
func precondition(h http.Header) (string, error) {
	if h.Get("If-None-Match") == "*" {
		return "", nil
	}
	if sum := strings.Trim(h.Get("If-Match"), `"`); sum != "" && sum != "*" {
		return sum, nil
	}
	return "", &answers.Error{Status: http.StatusPreconditionRequired, Message: "If-Match must name the file's SHA-256, or If-None-Match be *."}
}

func (s *server) revisions(m *jobs.Manager, w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, http.StatusOK, m.Revisions())
}

// revisionZIP answers with the game as it was at a revision.
func (s *server) revisionZIP(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	rev, err := revisionOf(r.PathValue("rev"))
	if err != nil {
		return err
	}
	files, err := m.GameAt(rev)
	if err != nil {
		return err
	}
	return s.writeZIP(w, r, files)
}

func (s *server) diff(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	from, err := revisionOf(r.URL.Query().Get("from"))
	to, errTo := revisionOf(r.URL.Query().Get("to"))
	if err = errors.Join(err, errTo); err != nil {
		return err
	}
	found, err := m.Diff(from, to)
	return answerWith(w, found, err)
}

// maxQuery bounds the text of a search, in bytes.
const maxQuery = 200

// search finds a text in the game's files.
func (s *server) search(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	text := r.URL.Query().Get("q")
	if text == "" || len(text) > maxQuery || !utf8.ValidString(text) {
		return answers.BadRequest("Search for a text of at most %d bytes.", maxQuery)
	}
	found, err := m.Search(text)
	return answerWith(w, found, err)
}

func (s *server) restore(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	var req contract.RestoreRequest
	if err := readJSON(w, r, &req); err != nil {
		return err
	}
	saved, err := m.RestoreTo(r.Context(), req.Rev, req.Head)
	return answerWith(w, saved, err)
}

// lock has jobs leave a file of the game as it is, or no longer.
func (s *server) lock(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	return answerWith(w, struct{}{}, m.SetLock(r.URL.Query().Get("path"), r.Method == http.MethodPut))
}

// check begins to play the newest revision without a model.
func (s *server) check(m *jobs.Manager, w http.ResponseWriter, _ *http.Request) error {
	begun, err := m.Check()
	return answerWith(w, begun, err)
}

// mend mends what is wrong with the game in a way that leaves no choice.
func (s *server) mend(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	saved, err := m.Mend(r.Context())
	return answerWith(w, saved, err)
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
	return answerWith(w, struct{}{}, m.KeepRevision(rev, req.Until))
}

// reorder puts the waiting jobs in another order.
func (s *server) reorder(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	var queue contract.Queue
	if err := readJSON(w, r, &queue); err != nil {
		return err
	}
	return answerWith(w, queue, m.Reorder(queue.Jobs))
}

// stopAfterStep has a job end when the step is done that it is at.
func (s *server) stopAfterStep(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	return answerWith(w, struct{}{}, m.StopAfterStep(r.PathValue("id")))
}

// revisionOf reads the number of a revision, 0 for what is there now.
func revisionOf(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	rev, err := strconv.Atoi(text)
	if err != nil || rev < 1 {
		return 0, answers.BadRequest("rev must be the number of a revision.")
	}
	return rev, nil
}
