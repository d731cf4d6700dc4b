package gateway

import (
	"io"
	"net/http"

	"github.com/svc-games/svc/api"
)

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
		return &api.Error{Status: c.status, Message: "The files are not those of If-Match."}
	case http.StatusRequestedRangeNotSatisfiable:
		return &api.Error{Status: c.status, Message: "The files have no such range."}
	}
	return api.Unavailable("The job's files can't be read right now.", retrySoon, nil)
}
