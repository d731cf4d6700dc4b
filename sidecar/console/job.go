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
	Job       sidecar.Job
	Project   projects.Details
	KeyName   string
	Published *api.Publication // of the project; nil for nothing
	Preview   string           // the address of the game; "" without one
}

// Playable reports whether the job left a game.
func (p jobPage) Playable() bool { return p.Job.Settled && p.Job.Files != nil }

func (c *Console) showJob(x *exchange) error {
	job, err := c.ownJob(x)
	if err != nil {
		return err
	}
	project, err := c.ownProject(x, job.ProjectID)
	if err != nil {
		return err
	}
	page := jobPage{Job: job, Project: project}
	names, err := c.keyNames(x)
	if err == nil {
		page.Published, err = c.published(x, project.ID)
	}
	if origin := c.options.Preview(x.r); err == nil && page.Playable() && origin != "" {
		var code string
		if code, err = c.Sessions.NewPreview(x.r.Context(), x.user, job.JobID); err == nil {
			page.Preview = origin + "/" + code + "/index.html"
		}
	}
	if err != nil {
		return err
	}
	page.KeyName = names[job.KeyID]
	return c.show(x, http.StatusOK, "job", page)
}

// Publishable reports whether players may get the job's game.
func (p jobPage) Publishable() bool { return p.Playable() && p.Job.Status == api.JobCompleted }

// ownJob returns the job that the address names, if it is of one of the
// visitor's projects.
func (c *Console) ownJob(x *exchange) (sidecar.Job, error) {
	job, err := c.Ledger.Job(x.r.Context(), x.r.PathValue("job"))
	if errors.Is(err, sidecar.ErrUnknownJob) || err == nil && job.OwnerID != x.user {
		err = &failure{http.StatusNotFound, "You have no such job."}
	}
	return job, err
}

func (c *Console) jobEvents(x *exchange) error {
	job, err := c.ownJob(x)
	if err == nil {
		site.Serve{What: site.ServeEvents, JobID: job.JobID, Session: x.session.Name()}.Ask(x)
	}
	return err
}

func (c *Console) jobFiles(x *exchange) error {
	job, err := c.ownJob(x)
	switch {
	case err != nil:
		return err
	case !job.Settled || job.Status == api.JobCancelled:
		return &failure{http.StatusConflict, "The job has no files."}
	}
	site.Serve{What: site.ServeFiles, JobID: job.JobID}.Ask(x)
	return nil
}
