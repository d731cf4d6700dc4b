package console

import (
	"errors"
	"net/http"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/projects"
)

// projectsPage is a part of a user's projects, newest first.
type projectsPage struct {
	Projects []api.Project
	After    string
	Next     string
	Origin   string
}

func (c *Console) listProjects(x *exchange) error {
	after := x.r.URL.Query().Get("after")
	list, err := c.Projects.Projects(x.r.Context(), x.user, after, projects.DefaultPage)
	var refused *answers.Error
	switch {
	case errors.As(err, &refused):
		return &failure{refused.Status, refused.Message}
	case err == nil:
		list.Data, err = c.allowedProjects(x, list.Data)
	}
	if err != nil {
		return err
	}
	return c.show(x, http.StatusOK, "projects",
		projectsPage{Projects: list.Data, After: after, Next: list.NextCursor, Origin: c.origin(x.r)})
}

// projectPage is one project with a part of its jobs.
type projectPage struct {
	Project projects.Details
	sidecar.JobPage
	Published *api.Publication  // nil for nothing
	Settings  *api.PlaySettings // of what is published
	Warnings  []string          // of what that costs
	Names     map[string]string // of keys, by id
	First     bool              // the page begins with the newest job
	Typed     attributeForm     // what was refused
	Error     string
	Done      string
}

// NamesShown reports whether the reader may see what keys are called.
func (p projectPage) NamesShown() bool { return p.Names != nil }

func (c *Console) showProject(x *exchange) error {
	project, err := c.project(x, policy.ActionGetProject)
	if err != nil {
		return err
	}
	return c.presentProject(x, http.StatusOK, projectPage{Project: project, Done: attributesDone[x.r.URL.Query().Get("done")]})
}

// presentProject shows a project with what was typed into its forms.
func (c *Console) presentProject(x *exchange, status int, page projectPage) error {
	before := x.r.URL.Query().Get("before")
	page.First = before == ""
	var err error
	if page.JobPage, err = c.Ledger.ProjectJobs(x.r.Context(), page.Project.ID, before); err == nil {
		page.Names, err = c.shownNames(x)
	}
	if err == nil {
		page.Published, err = c.published(x, page.Project.ID)
	}
	if err == nil && page.Published != nil {
		var settings api.PlaySettings
		settings, err = c.Games.PlaySettings(x.r.Context(), page.Project.ID)
		page.Settings = &settings
	}
	if err == nil && page.Published != nil {
		var account ledger.GameAccount
		account, err = c.Ledger.GameAccount(x.r.Context(), page.Project.ID)
		page.Warnings = account.Warnings()
	}
	if err != nil {
		return err
	}
	return c.show(x, status, "project", page)
}

// project returns the project that the address names, for an action that the user may
// do with it. One that the user may not see gets the same answer as one that does not
// exist.
func (c *Console) project(x *exchange, action policy.Action) (projects.Details, error) {
	const unknown = "You have no such project."
	id := x.r.PathValue("project")
	if err := c.allowProject(x, id, action, unknown); err != nil {
		return projects.Details{}, err
	}
	project, err := c.Projects.Details(x.r.Context(), id)
	if errors.Is(err, sidecar.ErrUnknownProject) {
		err = &failure{http.StatusNotFound, unknown}
	}
	return project, err
}
