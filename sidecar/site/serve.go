package site

import (
	"errors"
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
	ServePicture = "picture" // what the game of a published job looks like
	ServeStudio  = "studio"  // a page of the studio
	ServeLive    = "live"    // one file of a project's game as it is, or was
)

// Serve is what the gateway is asked to serve.
type Serve struct {
	What    string
	JobID   string
	Path    string // in the ZIP, of a preview or game
	Session string // for which events are served, as Site.Ended knows it
	// ProjectID is set for a file of a project's game, in place of JobID. Path then
	// begins with "now/", "built/" or a revision's number.
	ProjectID string
	Studio    Studio // of a page of the studio
}

// Studio is who looks at the studio, and where games are shown.
type Studio struct {
	KeyID   string // under which it works
	UserID  string
	Preview string // where the project's game is shown, "" for nowhere
}

func (s Studio) encode() string {
	return url.Values{"key": {s.KeyID}, "user": {s.UserID}, "preview": {s.Preview}}.Encode()
}

func decodeStudio(text string) (Studio, error) {
	v, err := url.ParseQuery(text)
	s := Studio{KeyID: v.Get("key"), UserID: v.Get("user"), Preview: v.Get("preview")}
	if err == nil && (s.KeyID == "" || s.UserID == "") {
		err = errors.New("the studio has no user")
	}
	return s, err
}

// Ask answers a request with it.
func (s Serve) Ask(w http.ResponseWriter) {
	subject, detail := s.JobID, s.Path
	switch s.What {
	case ServeEvents:
		detail = s.Session
	case ServeLive:
		subject = s.ProjectID
	case ServeStudio:
		subject, detail = "-", s.Studio.encode()
	}
	w.Header().Set(ServeHeader, strings.TrimSpace(s.What+" "+subject+" "+url.PathEscape(detail)))
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
		s = Serve{What: fields[0]}
		detail, err := url.PathUnescape(fields[2])
		switch s.What {
		case ServeEvents:
			s.JobID, s.Session = fields[1], detail
		case ServeLive:
			s.ProjectID, s.Path = fields[1], detail
		case ServeStudio:
			if err == nil {
				s.Studio, err = decodeStudio(detail)
			}
		default:
			s.JobID, s.Path = fields[1], detail
		}
		return s, err == nil
	}
	return Serve{}, false
}
