package console

import (
	"errors"
	"net/http"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/site"
)

// jobPage is one job.
type jobPage struct {
	Job     sidecar.Job
	Project projects.Details
	KeyName string
	Preview string // the address of the game; "" without one
}

// Playable reports whether the job left a game.
func (p jobPage) Playable() bool { return p.Job.Settled && p.Job.Files != nil }

func (c *Console) showJob(x *exchange) {
	job, ok := c.ownJob(x)
	if !ok {
		return
	}
	project, ok := c.ownProject(x, job.ProjectID)
	if !ok {
		return
	}
	page := jobPage{Job: job, Project: project}
	names, err := c.keyNames(x)
	if origin := c.options.Preview(x.r); err == nil && page.Playable() && origin != "" {
		var code string
		if code, err = c.Sessions.NewPreview(x.r.Context(), x.user, job.JobID); err == nil {
			page.Preview = origin + "/" + code + "/index.html"
		}
	}
	if err != nil {
		c.broken(x, x.r, err)
		return
	}
	page.KeyName = names[job.KeyID]
	c.show(x, "job", page)
}

// ownJob returns the job that the address names, if it is of one of the
// visitor's projects.
func (c *Console) ownJob(x *exchange) (sidecar.Job, bool) {
	job, err := c.Ledger.Job(x.r.Context(), x.r.PathValue("job"))
	switch {
	case errors.Is(err, sidecar.ErrUnknownJob), err == nil && job.OwnerID != x.user:
		c.fail(x, x.r, http.StatusNotFound, "You have no such job.")
	case err != nil:
		c.broken(x, x.r, err)
	default:
		return job, true
	}
	return sidecar.Job{}, false
}

func (c *Console) jobEvents(x *exchange) {
	if job, ok := c.ownJob(x); ok {
		site.Serve{What: site.ServeEvents, JobID: job.JobID, Session: x.session.Name()}.Ask(x)
	}
}

func (c *Console) jobFiles(x *exchange) {
	job, ok := c.ownJob(x)
	switch {
	case !ok:
	case !job.Settled || job.Status == api.JobCancelled:
		c.fail(x, x.r, http.StatusConflict, "The job has no files.")
	default:
		site.Serve{What: site.ServeFiles, JobID: job.JobID}.Ask(x)
	}
}
