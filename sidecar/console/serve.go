package console

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"go.uber.org/zap"

	"github.com/svc-games/svc/sidecar/sessions"
)

// ServeHeader is a header of the console's answer by which it asks the gateway
// to answer instead: the console knows who may see something, the gateway has
// it. The gateway never passes it on.
const ServeHeader = "Svc-Console-Serve"

// What the gateway is asked to serve.
const (
	ServeEvents  = "events"  // a job's event stream
	ServeFiles   = "files"   // a job's ZIP
	ServePreview = "preview" // one file of a job's ZIP
)

// Serve is what the gateway is asked to serve.
type Serve struct {
	What    string
	JobID   string
	Path    string // in the ZIP, of a preview
	Session string // for which events are served, as Site.Ended knows it
}

// ask answers a request with it.
func (s Serve) ask(w http.ResponseWriter) {
	detail := s.Path
	if s.What == ServeEvents {
		detail = s.Session
	}
	w.Header().Set(ServeHeader, strings.TrimSpace(s.What+" "+s.JobID+" "+url.PathEscape(detail)))
	w.WriteHeader(http.StatusOK)
}

// TakeServe takes what the gateway is asked for out of an answer's header.
func TakeServe(h http.Header) (s Serve, asked bool) {
	fields := strings.Fields(h.Get(ServeHeader))
	h.Del(ServeHeader)
	switch len(fields) {
	case 2:
		return Serve{What: fields[0], JobID: fields[1]}, true
	case 3:
		s = Serve{What: fields[0], JobID: fields[1]}
		detail, err := url.PathUnescape(fields[2])
		if s.What == ServeEvents {
			s.Session = detail
		} else {
			s.Path = detail
		}
		return s, err == nil
	}
	return Serve{}, false
}

// Preview answers for the preview's own origin. A file's address is
// /CODE/PATH, and the code is all that it takes: no cookie is read or set
// there, and nothing else of the console is there.
func (c *Console) Preview() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{code}/{path...}", func(w http.ResponseWriter, r *http.Request) {
		job, err := c.Sessions.Preview(r.Context(), r.PathValue("code"))
		switch {
		case errors.Is(err, sessions.ErrCode):
			http.Error(w, "This preview is over. Reload the job's page in the console.", http.StatusNotFound)
		case err != nil:
			c.Logger.Error("preview failed", zap.Error(err))
			http.Error(w, "The preview can't be shown right now.", http.StatusServiceUnavailable)
		default:
			Serve{What: ServePreview, JobID: job, Path: r.PathValue("path")}.ask(w)
		}
	})
	return mux
}
