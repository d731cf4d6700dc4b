package console

import (
	"errors"
	"net/http"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/site"
)

// draftExperiment makes an experiment of a parameter and the values that are given.
func (c *Console) draftExperiment(x *exchange) error {
	var values []string
	for _, value := range strings.Split(x.r.PostFormValue("values"), ",") {
		if value = strings.TrimSpace(value); value != "" {
			values = append(values, value)
		}
	}
	return c.changeExperiment(x, api.ExperimentChange{ID: x.r.PostFormValue("id"), State: api.ExperimentDraft, Values: values})
}

// moveExperiment starts, stops, decides or removes an experiment.
func (c *Console) moveExperiment(x *exchange) error {
	change := api.ExperimentChange{ID: x.r.PostFormValue("id"), State: x.r.PostFormValue("to")}
	if x.r.PostForm.Has("winner") {
		change.State, change.Winner = api.ExperimentWinner, x.r.PostFormValue("winner")
	}
	return c.changeExperiment(x, change)
}

// changeExperiment changes an experiment of a project.
func (c *Console) changeExperiment(x *exchange, change api.ExperimentChange) error {
	project, err := c.project(x, policy.ActionPublish)
	if err != nil {
		return err
	}
	played, err := c.Played(x.r.Context())
	if err != nil {
		return err
	}
	err = played.ChangeExperiment(x.r.Context(), project.ID, change)
	var refused *answers.Error
	switch {
	case errors.As(err, &refused) && refused.Status == http.StatusBadRequest:
		return &failure{http.StatusUnprocessableEntity, refused.Message}
	case errors.As(err, &refused):
		return &failure{refused.Status, refused.Message}
	case err != nil:
		return err
	}
	return x.redirect(site.Path + "projects/" + project.ID + "/analytics/" + api.ViewExperiments)
}
