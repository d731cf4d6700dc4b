package site

import (
	"net/http"
	"net/url"
	"strings"
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
	ServeGame    = "game"    // the same of a published job, which browsers may keep
)

// Serve is what the gateway is asked to serve.
type Serve struct {
	What    string
	JobID   string
	Path    string // in the ZIP, of a preview or game
	Session string // for which events are served, as Site.Ended knows it
}

// Ask answers a request with it.
func (s Serve) Ask(w http.ResponseWriter) {
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
