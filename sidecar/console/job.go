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

func (c *Console) showJob(v *visit) {
	job, ok := c.ownJob(v)
	if !ok {
		return
	}
	project, ok := c.ownProject(v, job.ProjectID)
	if !ok {
		return
	}
	page := jobPage{Job: job, Project: project}
	names, err := c.keyNames(v)
	if origin := c.options.Preview(v.r); err == nil && page.Playable() && origin != "" {
		var code string
		if code, err = c.Sessions.NewPreview(v.r.Context(), v.user, job.JobID); err == nil {
			page.Preview = origin + "/" + code + "/index.html"
		}
	}
	if err != nil {
		c.broken(v, v.r, err)
		return
	}
	page.KeyName = names[job.KeyID]
	c.show(v, "job", page)
}

// ownJob returns the job that the address names, if it is of one of the
// visitor's projects.
func (c *Console) ownJob(v *visit) (sidecar.Job, bool) {
	job, err := c.Ledger.Job(v.r.Context(), v.r.PathValue("job"))
	switch {
	case errors.Is(err, sidecar.ErrUnknownJob), err == nil && job.OwnerID != v.user:
		c.fail(v, v.r, http.StatusNotFound, "You have no such job.")
	case err != nil:
		c.broken(v, v.r, err)
	default:
		return job, true
	}
	return sidecar.Job{}, false
}

func (c *Console) jobEvents(v *visit) {
	if job, ok := c.ownJob(v); ok {
		site.Serve{What: site.ServeEvents, JobID: job.JobID, Session: v.session.Name()}.Ask(v)
	}
}

func (c *Console) jobFiles(v *visit) {
	job, ok := c.ownJob(v)
	switch {
	case !ok:
	case !job.Settled || job.Status == api.JobCancelled:
		c.fail(v, v.r, http.StatusConflict, "The job has no files.")
	default:
		site.Serve{What: site.ServeFiles, JobID: job.JobID}.Ask(v)
	}
}
