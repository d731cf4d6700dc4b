package gateway

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"strings"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/site"
)

// Console has the console answer browsers, and serves what the console asks for in
// its place: the console knows who may see something, the gateway has it.
type Console struct {
	Locator  *Locator
	Previews *Previews
	Studio   Studio // nil: there is none
	Library  []byte // of published games; nil leaves them theirs
}

// Studio answers for the studio, which needs engines.
type Studio interface {
	// Static answers for the studio's own files, and reports whether the request was
	// for one.
	Static(w http.ResponseWriter, r *http.Request) bool
	// Serve answers a request of somebody who is signed in.
	Serve(w http.ResponseWriter, r *http.Request, who site.Studio) error
	// Live answers with a file of a project's game.
	Live(w http.ResponseWriter, r *http.Request, projectID, name string)
}

// Serve has source, a site or its previews, answer a request, or serves what it asks
// for. ended is the site's Ended, nil for previews, which have no sessions. The error
// is an *answers.Error, that of the way to an engine, or of a client that has left.
func (c *Console) Serve(
	w http.ResponseWriter, r *http.Request, source http.Handler, ended func(ctx context.Context, session string) (bool, error),
) error {
	r = r.WithContext(peer.WithRequest(r.Context(), factsOf(r)))
	asking := r
	if c.Studio != nil && ended != nil && strings.HasPrefix(r.URL.Path, site.StudioPath) {
		if c.Studio.Static(w, r) {
			return nil
		}
		asking = bodiless(r) // which is for the studio
	}
	out := &askedWriter{ResponseWriter: w}
	source.ServeHTTP(out, asking)
	if !out.asked {
		return nil
	}
	switch out.serve.What {
	case site.ServePreview:
		clearHeader(w.Header())
		c.Previews.Serve(w, r, c.Locator.Engines, out.serve.JobID, out.serve.Path)
		return nil
	case site.ServeGame:
		clearHeader(w.Header())
		c.Previews.ServeGame(w, r, c.Locator.Engines, out.serve.JobID, out.serve.Path, c.Library)
		return nil
	case site.ServePicture:
		clearHeader(w.Header())
		c.Previews.ServePicture(w, r, c.Locator.Engines, out.serve.JobID)
		return nil
	case site.ServeStudio:
		if c.Studio != nil && asking != r {
			return c.Studio.Serve(w, r, out.serve.Studio)
		}
	case site.ServeLive:
		if c.Studio != nil {
			clearHeader(w.Header())
			c.Studio.Live(w, r, out.serve.ProjectID, out.serve.Path)
			return nil
		}
	case site.ServeEvents, site.ServeFiles:
		w.Header().Del("Content-Security-Policy")
		return c.serveJob(w, r, out.serve, ended)
	}
	return &answers.Error{
		Status: http.StatusInternalServerError, Message: "Internal error.", Cause: fmt.Errorf("the console asks for %q", out.serve.What),
	}
}

// clearHeader takes what the console said out of an answer. What the client knows its
// request by stays.
func clearHeader(h http.Header) {
	const id = "X-Request-Id"
	maps.DeleteFunc(h, func(name string, _ []string) bool { return name != id })
}

// bodiless returns a request that leaves r's body alone.
func bodiless(r *http.Request) *http.Request {
	out := r.Clone(r.Context())
	out.Body, out.ContentLength, out.TransferEncoding = http.NoBody, 0, nil
	out.Header.Del("Content-Length")
	return out
}

// serveJob serves the events or files of a job to its owner.
func (c *Console) serveJob(
	w http.ResponseWriter, r *http.Request, asked site.Serve, ended func(ctx context.Context, session string) (bool, error),
) error {
	job, err := c.Locator.Sidecar.Job(r.Context(), asked.JobID)
	if err != nil {
		return answers.Unavailable("The job can't be looked up right now.", retrySoon, err)
	}
	q := &Request{UserID: job.OwnerID, ProjectID: job.ProjectID, Job: &job, Route: Route{Action: policy.ActionFiles, JobID: job.JobID}}
	if asked.What == site.ServeFiles {
		return c.Locator.files(w, r, q)
	}
	q.Route.Action = policy.ActionEvents
	var over func(context.Context) (bool, error)
	if asked.Session != "" && ended != nil { // an older sidecar names none
		over = func(ctx context.Context) (bool, error) { return ended(ctx, asked.Session) }
	}
	return c.Locator.follow(w, r, q, over)
}

// askedWriter passes the console's answer on, unless the console asks the gateway to
// answer in its place.
type askedWriter struct {
	http.ResponseWriter
	serve  site.Serve
	asked  bool
	header bool // it is written
}

func (a *askedWriter) WriteHeader(status int) {
	if !a.header {
		a.header = true
		a.serve, a.asked = site.TakeServe(a.Header())
		if a.asked {
			a.Header().Del("Content-Length") // of a sidecar's empty answer
		}
	}
	if !a.asked {
		a.ResponseWriter.WriteHeader(status)
	}
}

func (a *askedWriter) Write(p []byte) (int, error) {
	if !a.header {
		a.WriteHeader(http.StatusOK)
	}
	if a.asked {
		return len(p), nil
	}
	return a.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach Flush.
func (a *askedWriter) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// factsOf returns what the policy may know of a browser's request.
func factsOf(r *http.Request) peer.Request {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	return Facts(peer.RequestOf(r.Context()).ID, host, r.Method, r.UserAgent())
}
