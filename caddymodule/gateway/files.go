package gateway

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	engineproxy "github.com/svc-games/svc/engine-proxy"
)

// files serves the ZIP of an ended job from the archive: Range, If-Range, HEAD
// and 304 come from net/http.
func (l *Locator) files(w http.ResponseWriter, r *http.Request, q *Request) error {
	switch {
	case q.Job.Status == api.JobCancelled:
		return &answers.Error{Status: http.StatusConflict, Message: "The job was cancelled; it has no files."}
	case !q.Job.Settled:
		return &answers.Error{Status: http.StatusConflict, Message: "The job has not ended; its files are not there yet."}
	}
	file, err := l.Engines.Files(r.Context(), q.Route.JobID)
	if errors.Is(err, engineproxy.ErrNotArchived) {
		return &answers.Error{Status: http.StatusNotFound, Message: "The job left no files."}
	}
	if err != nil {
		return answers.Unavailable("The job's files can't be read right now.", retrySoon, err)
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

// conditionalWriter keeps back net/http's own refusal of a condition or a
// range, which is no JSON, so that it becomes one of the API's.
type conditionalWriter struct {
	http.ResponseWriter
	status int // of the refusal, 0 for none
}

func (c *conditionalWriter) WriteHeader(status int) {
	if status < http.StatusBadRequest {
		c.ResponseWriter.WriteHeader(status)
		return
	}
	c.status = status
	for _, name := range []string{"Accept-Ranges", "Content-Disposition", "Etag", "Last-Modified", "X-Content-Type-Options"} {
		c.Header().Del(name)
	}
}

func (c *conditionalWriter) Write(p []byte) (int, error) {
	if c.status != 0 {
		return len(p), nil
	}
	return c.ResponseWriter.Write(p)
}

// ReadFrom lets the kernel copy the file where the connection can.
func (c *conditionalWriter) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(c.ResponseWriter, r)
}

// Unwrap lets http.ResponseController reach the connection.
func (c *conditionalWriter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// refusal returns what was kept back, or nil.
func (c *conditionalWriter) refusal() error {
	switch c.status {
	case 0:
		return nil
	case http.StatusPreconditionFailed:
		return &answers.Error{Status: c.status, Message: "The files are not those of If-Match."}
	case http.StatusRequestedRangeNotSatisfiable:
		return &answers.Error{Status: c.status, Message: "The files have no such range."}
	}
	return answers.Unavailable("The job's files can't be read right now.", retrySoon, nil)
}
