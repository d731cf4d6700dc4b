package gateway

import (
	"context"
	"fmt"
	"log"
	"net/http"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/site"
)

// Console has the console answer browsers, and serves what the console asks for in
// its place: the console knows who may see something, the gateway has it.
type Console struct {
	Locator  *Locator
	Previews *Previews
	Library  []byte      // of published games; nil leaves them theirs
	Log      *log.Logger // of what goes wrong between the gateway and an engine
}

// Serve has answers, a site or its previews, answer a request, or serves what it asks
// for. ended is the site's Ended, nil for previews, which have no sessions. The error
// is an *api.Error, that of the way to an engine, or of a client that has left.
func (c *Console) Serve(
	w http.ResponseWriter, r *http.Request, answers http.Handler, ended func(ctx context.Context, session string) (bool, error),
) error {
	out := &askedWriter{ResponseWriter: w}
	answers.ServeHTTP(out, r)
	if !out.asked {
		return nil
	}
	switch out.serve.What {
	case site.ServePreview:
		clear(w.Header())
		c.Previews.Serve(w, r, c.Locator.Engines, out.serve.JobID, out.serve.Path)
		return nil
	case site.ServeGame:
		clear(w.Header())
		c.Previews.ServeGame(w, r, c.Locator.Engines, out.serve.JobID, out.serve.Path, c.Library)
		return nil
	case site.ServeEvents, site.ServeFiles:
		w.Header().Del("Content-Security-Policy")
		return c.serveJob(w, r, out.serve, ended)
	}
	return &api.Error{
		Status: http.StatusInternalServerError, Message: "Internal error.", Cause: fmt.Errorf("the console asks for %q", out.serve.What),
	}
}

// serveJob serves the events or files of a job to its owner.
func (c *Console) serveJob(
	w http.ResponseWriter, r *http.Request, asked site.Serve, ended func(ctx context.Context, session string) (bool, error),
) error {
	job, err := c.Locator.Sidecar.Job(r.Context(), asked.JobID)
	if err != nil {
		return api.Unavailable("The job can't be looked up right now.", retrySoon, err)
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
	return c.Locator.follow(w, r, q, over, passTo(q, c.Log))
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
