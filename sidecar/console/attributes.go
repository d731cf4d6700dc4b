package console

import (
	"errors"
	"net/http"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/site"
)

// attributeForm is a form that sets one attribute of a project.
type attributeForm struct {
	Name  string
	Value string
}

// attributesDone are what a project's page says after a change, named in its
// address.
var attributesDone = map[string]string{
	"set": "The attribute is set. Decisions rest on it from now on.", "removed": "The attribute is removed. Decisions rest on that from now on.",
	"published": "The game is published.", "unpublished": "The game is no longer published. What was counted stays.",
	"settings": "The game's settings are saved.", "rotated": "The game has another key.",
}

// setAttribute sets or removes one attribute. The form says what its page
// showed before, so that a page which is out of date takes nothing back.
func (c *Console) setAttribute(x *exchange) error {
	project, err := c.project(x, policy.ActionSetAttributes)
	if err != nil {
		return err
	}
	form := attributeForm{Name: x.r.PostFormValue("name"), Value: x.r.PostFormValue("value")}
	change := projects.AttributeChange{
		Actor: x.actor(), ProjectID: project.ID, OwnerID: project.OwnerID,
		Set: map[string]*string{form.Name: &form.Value}, Seen: map[string]*string{form.Name: nil},
	}
	if seen, shown := x.r.PostForm["seen"]; shown {
		change.Seen[form.Name] = &seen[0]
	}
	done := "set"
	if x.r.PostForm.Has("remove") {
		done, change.Set[form.Name] = "removed", nil
	}
	_, err = c.Projects.SetAttributes(x.r.Context(), change)
	var refused *answers.Error
	switch {
	case err == nil:
		return x.redirect(site.Path + "projects/" + project.ID + "?done=" + done)
	case errors.Is(err, projects.ErrAttributeChanged):
		return c.refuseAttribute(x, http.StatusConflict, form, "The attribute "+form.Name+" was changed meanwhile: look at it as it is now, and set it again.")
	case errors.As(err, &refused):
		return c.refuseAttribute(x, http.StatusUnprocessableEntity, form, refused.Message)
	}
	return err
}

// refuseAttribute shows the project as it is now, and what was typed.
func (c *Console) refuseAttribute(x *exchange, status int, form attributeForm, message string) error {
	project, err := c.project(x, policy.ActionSetAttributes)
	if err != nil {
		return err
	}
	return c.presentProject(x, status, projectPage{Project: project, Typed: form, Error: message})
}
