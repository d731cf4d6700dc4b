// Package studio serves the studio: a project's prompts, jobs, files, versions and
// game on one page. Who looks at it the console has found out; what they may do the
// policy decides, as for every request, and jobs take the way of all submissions.
package studio

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/caddymodule/gateway"
	"github.com/svc-games/svc/caddymodule/gateway/rate"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/site"
)

// Parts are what the studio works with.
type Parts struct {
	Sidecar  sidecar.Service
	Engines  engineproxy.Engines
	Models   *gateway.Models
	Access   *gateway.Access
	Projects *gateway.Projects
	Locator  *gateway.Locator
	Quota    *gateway.Submitter
	Previews *gateway.Previews
	Answers  *gateway.Bodies // has the room that answers of engines need
	Rates    *gateway.Rates  // count each user's requests
	Rate     rate.Limit      // of one user; the zero Limit is none
	Editor   string          // folder of the bundled editor, which need not be there
	Logger   *zap.Logger
}

// Studio answers for the studio. It is safe for concurrent use.
type Studio struct {
	Parts
	pages   *pages
	routes  *http.ServeMux
	uploads chan struct{} // holds a token for each upload that is read
}

// New returns the studio.
func New(p Parts) (*Studio, error) {
	pages, err := loadPages(p.Editor)
	if err != nil {
		return nil, fmt.Errorf("studio: %w", err)
	}
	s := &Studio{Parts: p, pages: pages, routes: http.NewServeMux(), uploads: make(chan struct{}, maxReading)}
	for pattern, answer := range map[string]answerFunc{
		"GET /{$}":                        s.home,
		"POST /{$}":                       s.create,
		"GET /{project}":                  s.show,
		"GET /{project}/state":            s.state,
		"GET /{project}/picture":          s.picture,
		"POST /{project}/jobs":            s.submit,
		"POST /{project}/jobs/{job}/stop": s.stop,
		"POST /{project}/build":           s.build,
		"POST /{project}/queue":           s.reorder,
		"GET /{project}/file":             s.readFile,
		"POST /{project}/file":            s.saveFile,
		"POST /{project}/upload":          s.upload,
		"POST /{project}/lock":            s.lock,
		"GET /{project}/diff":             s.diff,
		"GET /{project}/zip":              s.zip,
		"GET /{project}/search":           s.search,
		"POST /{project}/check":           s.check,
		"POST /{project}/keep":            s.keep,
		"POST /{project}/mend":            s.mend,
		"POST /{project}/scene":           s.beginScene,
		"POST /{project}/restore":         s.restore,
		"POST /{project}/duplicate":       s.duplicate,
		"POST /{project}/copy":            s.copyFrom,
	} {
		s.routes.Handle(pattern, s.answer(answer))
	}
	s.routes.Handle("/", s.answer(func(*exchange) error {
		return &answers.Error{Status: http.StatusNotFound, Message: "There is no such page."}
	}))
	return s, nil
}

// maxForm bounds a request's body: a file, and what a form makes of it. Up to maxUnread more
// is taken from the connection and left unread: a browser shows no answer on one that was
// closed over what it sends.
const (
	maxForm   = 4 << 20
	maxUnread = 32 << 20
)

// exchange is a request of somebody who is signed in, and its answer.
type exchange struct {
	http.ResponseWriter
	r      *http.Request
	who    site.Studio
	owners map[string]string // of the projects that the policy let the user use
}

// json reports whether a script asks, not a browser for a page.
func (x *exchange) json() bool { return strings.Contains(x.r.Header.Get("Accept"), "application/json") }

func (x *exchange) project() string { return x.r.PathValue("project") }

// at returns the address of a page of the project.
func (x *exchange) at(rest string) string { return site.StudioPath + "/" + x.project() + rest }

// redirect answers with the address of the page to load instead.
func (x *exchange) redirect(to string) error {
	http.Redirect(x, x.r, to, http.StatusSeeOther)
	return nil
}

// Serve answers a request of the studio for who asks.
func (s *Studio) Serve(w http.ResponseWriter, r *http.Request, who site.Studio) error {
	inner := r.Clone(r.Context())
	inner.URL.Path = "/" + strings.Trim(strings.TrimPrefix(r.URL.Path, site.StudioPath), "/")
	inner.URL.RawPath = ""
	inner.Body = http.MaxBytesReader(w, r.Body, maxForm)
	_, pattern := s.routes.Handler(inner)
	if pattern == "" { // a redirect of the mux to a cleaner path, or another method
		inner.URL.Path = "/-/-/-/-"
	}
	defer func() { _, _ = io.CopyN(io.Discard, r.Body, maxUnread) }() // what can't be read ends the connection
	share := s.Answers.Share(who.UserID)
	defer share.Release()
	inner = inner.WithContext(withShare(withWho(inner.Context(), who), share))
	if refused := s.Rates.Spend(r.Context(), who.KeyID, s.Rate); refused != nil {
		refused.Message = "Too many requests of your studio. Slow down."
		s.fail(&exchange{ResponseWriter: w, r: inner, who: who}, refused)
		return nil
	}
	s.routes.ServeHTTP(w, inner)
	return nil
}

// answerFunc answers a request, or returns why not: an *answers.Error, or a failure of the
// service.
type answerFunc func(x *exchange) error

func (s *Studio) answer(next answerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := &exchange{ResponseWriter: w, r: r, who: whoOf(r.Context()), owners: map[string]string{}}
		if err := next(x); err != nil {
			s.fail(x, asError(err))
		}
	})
}

// fail answers with an error, as a page or as JSON.
func (s *Studio) fail(x *exchange, refused *answers.Error) {
	if refused.Status >= http.StatusInternalServerError && refused.Cause != nil {
		s.Logger.Error("studio failed", zap.String("path", x.r.URL.Path), zap.Error(refused.Cause))
	}
	if x.json() {
		refused.WriteTo(x)
		return
	}
	s.render(x, refused.Status, "failure", frame{User: x.who.UserID, Title: "Studio", Data: refused})
}

func asError(err error) *answers.Error {
	var refused *answers.Error
	if errors.As(err, &refused) {
		return refused
	}
	return answers.Unavailable("The studio can't answer right now. Try again in a moment.", 5*time.Second, err)
}

// may returns nil when the policy lets the studio do something with a project.
func (s *Studio) may(x *exchange, projectID string, action policy.Action) error {
	if projectID != "" && !api.ValidProjectID(projectID) {
		return unknownProject()
	}
	d, err := s.Sidecar.Decide(x.r.Context(), x.who.KeyID, projectID, action)
	switch {
	case err != nil:
		return answers.Unavailable("Access can't be checked right now.", time.Second, err)
	case d.Allow:
		x.owners[projectID] = cmp.Or(d.OwnerID, x.who.UserID)
		return nil
	case d.Status == http.StatusUnauthorized:
		return &answers.Error{Status: http.StatusForbidden, Message: "Your studio is disabled. Enable its key on the page API Keys."}
	case projectID != "" && d.Status == http.StatusForbidden:
		return unknownProject() // a foreign one and none read alike
	}
	return &answers.Error{Status: d.Status, Message: d.Error, Reason: d.Reason, Limit: d.Limit}
}

func unknownProject() *answers.Error {
	return &answers.Error{Status: http.StatusNotFound, Message: "You have no such project."}
}
