package gateway

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/svc-games/svc/api"
	engineproxy "github.com/svc-games/svc/engine-proxy"
)

// files serves the ZIP of an ended job from the archive: Range, If-Range, HEAD
// and 304 come from net/http.
func (l *Locator) files(w http.ResponseWriter, r *http.Request, q *Request) error {
	switch {
	case q.Job.Status == api.JobCancelled:
		return &api.Error{Status: http.StatusConflict, Message: "The job was cancelled; it has no files."}
	case !q.Job.Settled:
		return &api.Error{Status: http.StatusConflict, Message: "The job has not ended; its files are not there yet."}
	}
	file, err := l.Engines.Files(r.Context(), q.Route.JobID)
	if errors.Is(err, engineproxy.ErrNotArchived) {
		return &api.Error{Status: http.StatusNotFound, Message: "The job left no files."}
	}
	if err != nil {
		return api.Unavailable("The job's files can't be read right now.", retrySoon, err)
	}
	defer file.Close()

	h := w.Header()
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s.zip"`, q.Route.JobID))
	h.Set("ETag", `"`+file.SHA256+`"`)
	h.Set("Cache-Control", "private, no-cache")
	h.Set("X-Content-Type-Options", "nosniff")
	out := &conditionalWriter{ResponseWriter: w}
	http.ServeContent(out, r, "", file.ModTime, file)
	return out.refusal()
}
