package console

import (
	"errors"
	"net/http"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
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
	job, err := c.job(x, policy.ActionStatus)
	if err != nil {
		return err
	}
	project, err := c.Projects.Details(x.r.Context(), job.ProjectID)
	if err != nil {
		return err
	}
	page := jobPage{Job: job, Project: project}
	names, err := c.shownNames(x)
	if err == nil {
		page.Published, err = c.published(x, project.ID)
	}
	if origin := c.options.Preview(x.r); err == nil && page.Playable() && origin != "" {
		page.Preview, err = c.preview(x, job, origin)
	}
	if err != nil {
		return err
	}
	page.KeyName = names[job.KeyID]
	if names == nil {
		page.KeyName = "not shown"
	}
	return c.show(x, http.StatusOK, "job", page)
}

// Publishable reports whether players may get the job's game.
func (p jobPage) Publishable() bool { return p.Playable() && p.Job.Status == api.JobCompleted }

// preview returns the address of the game that a job left, "" for a user who may not
// play it.
func (c *Console) preview(x *exchange, job sidecar.Job, origin string) (string, error) {
	d, err := c.decide(x.r.Context(), x.user, job.ProjectID, policy.ActionPreview)
	if err != nil || !d.Allow {
		return "", err
	}
	code, err := c.Sessions.NewPreview(x.r.Context(), x.user, job.JobID)
	if err != nil {
		return "", err
	}
	return origin + "/" + code + "/index.html", nil
}

// job returns the job that the address names, for an action that the user may do with
// it.
func (c *Console) job(x *exchange, action policy.Action) (sidecar.Job, error) {
	const unknown = "You have no such job."
	job, err := c.Ledger.Job(x.r.Context(), x.r.PathValue("job"))
	switch {
	case errors.Is(err, sidecar.ErrUnknownJob):
		err = &failure{http.StatusNotFound, unknown}
	case err == nil:
		err = c.allowProject(x, job.ProjectID, action, unknown)
	}
	return job, err
}

func (c *Console) jobEvents(x *exchange) error {
	job, err := c.job(x, policy.ActionEvents)
	if err == nil {
		site.Serve{What: site.ServeEvents, JobID: job.JobID, Session: streamName(x, job)}.Ask(x)
	}
	return err
}

func (c *Console) jobFiles(x *exchange) error {
	job, err := c.job(x, policy.ActionFiles)
	switch {
	case err != nil:
		return err
	case !job.Settled || job.Status == api.JobCancelled:
		return &failure{http.StatusConflict, "The job has no files."}
	}
	site.Serve{What: site.ServeFiles, JobID: job.JobID}.Ask(x)
	return nil
}
