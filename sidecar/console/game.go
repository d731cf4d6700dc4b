package console

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/requests"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/site"
)

// setGame changes what is set for a project's published game.
func (c *Console) setGame(x *exchange) error {
	project, err := c.project(x, policy.ActionPublish)
	if err != nil {
		return err
	}
	origins, ask := []string{}, x.r.PostFormValue("ask") != ""
	for _, word := range strings.Fields(x.r.PostFormValue("origins")) {
		origin, err := requests.ParseOrigin(word)
		if err != nil {
			return unprocessable(err)
		}
		origins = append(origins, origin)
	}
	if len(origins) > api.MaxOrigins {
		return &failure{http.StatusUnprocessableEntity, "There are more than " + strconv.Itoa(api.MaxOrigins) + " origins."}
	}
	most, err := api.ParseTIK(strings.TrimSpace(x.r.PostFormValue("tik")))
	if err != nil {
		return &failure{http.StatusUnprocessableEntity, "What the game may cost must be a number of TIK."}
	}
	change := api.PlayChange{Origins: &origins, TIKPerMonth: &most, AskConsent: &ask}
	if _, err := c.Games.SetPlaySettings(x.r.Context(), project.ID, change); err != nil {
		return err
	}
	return x.redirect(site.Path + "projects/" + project.ID + "?done=settings")
}

// unprocessable is the page of a form that holds what can't be.
func unprocessable(err error) error {
	if refused, ok := errors.AsType[*answers.Error](err); ok {
		return &failure{http.StatusUnprocessableEntity, refused.Message}
	}
	return err
}

// rotateGameKey gives a project's published game another key.
func (c *Console) rotateGameKey(x *exchange) error {
	project, err := c.project(x, policy.ActionPublish)
	if err != nil {
		return err
	}
	days := api.DefaultKeepDays
	if x.r.PostFormValue("now") != "" {
		days = 0
	}
	_, err = c.Games.RotatePlayKey(x.r.Context(), project.ID, time.Duration(days)*24*time.Hour)
	if errors.Is(err, sidecar.ErrNotPublished) {
		return &failure{http.StatusNotFound, "The game is not published."}
	}
	if err != nil {
		return err
	}
	return x.redirect(site.Path + "projects/" + project.ID + "?done=rotated")
}
