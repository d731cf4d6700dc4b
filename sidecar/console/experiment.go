package console

import (
	"errors"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/experiment"
	"github.com/svc-games/svc/sidecar/site"
)

// Bounds of an experiment's form.
const (
	maxValues = 5
	maxValue  = 40 // characters
)

var parameterName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,39}$`)

// draftExperiment makes an experiment of a parameter and the values that are given.
func (c *Console) draftExperiment(x *exchange) error {
	var values []string
	for _, value := range strings.Split(x.r.PostFormValue("values"), ",") {
		if value = strings.TrimSpace(value); value != "" {
			values = append(values, value)
		}
	}
	id := x.r.PostFormValue("id")
	return c.changeExperiment(x, func(played *analytics.Log, project string) error {
		if problem := experimentProblem(id, values); problem != "" {
			return &failure{http.StatusUnprocessableEntity, problem}
		}
		return played.DraftExperiment(x.r.Context(), project, id, experiment.Even(values))
	})
}

// experimentProblem says what is wrong with an experiment, "" for nothing.
func experimentProblem(id string, values []string) string {
	seen := make(map[string]bool)
	for _, value := range values {
		if utf8.RuneCountInString(value) > maxValue || seen[value] {
			return "Each value has at most 40 characters and is another one."
		}
		seen[value] = true
	}
	switch {
	case !parameterName.MatchString(id):
		return "The parameter's name has 1 to 40 letters, digits and _, the first a letter."
	case len(values) < 2 || len(values) > maxValues:
		return "Name 2 to 5 values, with commas between them."
	}
	return ""
}

// moveExperiment starts, stops, decides or removes an experiment.
func (c *Console) moveExperiment(x *exchange) error {
	id, winner, to := x.r.PostFormValue("id"), "", x.r.PostFormValue("to")
	if x.r.PostForm.Has("winner") {
		to, winner = analytics.ExperimentWinner, x.r.PostFormValue("winner")
	}
	return c.changeExperiment(x, func(played *analytics.Log, project string) error {
		if to == "removed" {
			return played.RemoveExperiment(x.r.Context(), project, id)
		}
		return played.MoveExperiment(x.r.Context(), project, id, to, winner)
	})
}

// changeExperiment changes the experiments of a project.
func (c *Console) changeExperiment(x *exchange, change func(played *analytics.Log, project string) error) error {
	project, err := c.project(x, policy.ActionPublish)
	if err != nil {
		return err
	}
	played, err := c.Played(x.r.Context())
	if err != nil {
		return err
	}
	err = change(played, project.ID)
	var refused *api.Error
	switch {
	case errors.As(err, &refused):
		return &failure{refused.Status, refused.Message}
	case err != nil:
		return err
	}
	return x.redirect(site.Path + "projects/" + project.ID + "/analytics/" + api.ViewExperiments)
}
