package fakeengine

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
)

// taken are the jobs of an engine that only accepts. They are not listed, and the next
// engine on the volume knows nothing of them.
type taken struct {
	file *os.File
	jobs map[string]bool // by id
}

// add has a job on disk when it returns nil.
func (t *taken) add(volume, id string) error {
	if t.file == nil {
		f, err := os.OpenFile(filepath.Join(volume, "taken"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		t.file, t.jobs = f, map[string]bool{}
	}
	_, err := t.file.WriteString(id + "\n")
	if err = errors.Join(err, t.file.Sync()); err == nil {
		t.jobs[id] = true
	}
	return err
}

// acceptOnly is submit of an engine that does no more. It is called with mu held.
func (e *Engine) acceptOnly(w http.ResponseWriter, id, session string, body []byte, readErr error) {
	if _, refused := e.admit(id, session, body, readErr); refused != nil {
		w.Header().Set(contract.HeaderRefused, "true")
		refused.WriteTo(w)
		return
	}
	if err := e.taken.add(e.cfg.Volume, id); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answer(w, api.Submission{JobID: id, ProjectID: e.cfg.ProjectID, Status: api.JobQueued, SessionID: session})
}
