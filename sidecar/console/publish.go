package console

import (
	"errors"
	"net/http"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/site"
)

// published says what is published of a project, nil for nothing.
func (c *Console) published(x *exchange, projectID string) (*api.Publication, error) {
	found, err := c.Projects.Publication(x.r.Context(), projectID)
	if errors.Is(err, sidecar.ErrNotPublished) {
		return nil, nil
	}
	return &found, err
}

// publish has players get the game of one of the project's jobs.
func (c *Console) publish(x *exchange) error {
	project, err := c.project(x, policy.ActionPublish)
	if err != nil {
		return err
	}
	_, err = c.Projects.Publish(x.r.Context(), project.ID, x.r.PostFormValue("job"))
	var refused *answers.Error
	switch {
	case errors.Is(err, sidecar.ErrUnknownJob):
		return &failure{http.StatusNotFound, "The project has no such job."}
	case errors.As(err, &refused):
		return &failure{refused.Status, refused.Message}
	case err != nil:
		return err
	}
	return x.redirect(site.Path + "projects/" + project.ID + "?done=published")
}

// unpublish takes that back.
func (c *Console) unpublish(x *exchange) error {
	project, err := c.project(x, policy.ActionUnpublish)
	if err != nil {
		return err
	}
	if err := c.Projects.Unpublish(x.r.Context(), project.ID); err != nil {
		return err
	}
	return x.redirect(site.Path + "projects/" + project.ID + "?done=unpublished")
}
