package console

import (
	"net/http"
	"strings"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/site"
)

// livePrefix marks the subject of a preview's code that is a project, not a job.
const livePrefix = "project:"

// showsProject reports whether a request of the studio may be answered with a project's
// page: its own address, or that of a form, which shows the page again when it is refused.
func showsProject(r *http.Request) bool {
	script := strings.Contains(r.Header.Get("Accept"), "application/json")
	return !script && (r.PathValue("rest") == "" || r.Method == http.MethodPost)
}

// studioKey returns the key of the user's studio, which is made when it is first opened.
func (c *Console) studioKey(x *exchange) (string, error) {
	key, err := c.Keys.Studio(x.r.Context(), x.user)
	if err != nil || key != "" {
		return key, err
	}
	if err := c.allow(x, "", policy.ActionCreateKey); err != nil {
		return "", err
	}
	return c.Keys.CreateStudio(x.r.Context(), x.user)
}

// livePreview returns where the game of a project is shown at an origin of previews, for a
// request that may be answered with the project's page. Any other one keeps what was shown:
// a page is worked on for longer than its code is good. It is "" for nowhere.
func (c *Console) livePreview(x *exchange, id, origin string) (string, error) {
	if !showsProject(x.r) {
		return "", c.Sessions.KeepPreviews(x.r.Context(), x.user, livePrefix+id)
	}
	d, err := c.decide(x.r.Context(), x.user, id, policy.ActionPreview)
	if err != nil || !d.Allow {
		return "", err
	}
	code, err := c.Sessions.NewPreview(x.r.Context(), x.user, livePrefix+id)
	return origin + "/" + code, err
}

// openStudio has the gateway answer: it has the engines. The console says who looks, and
// where the game of a project that is theirs is shown.
func (c *Console) openStudio(x *exchange) error {
	key, err := c.studioKey(x)
	if err != nil {
		return err
	}
	studio, origin := site.Studio{KeyID: key, UserID: x.user}, c.options.Preview(x.r)
	if id := x.r.PathValue("project"); id != "" && origin != "" {
		if studio.Preview, err = c.livePreview(x, id, origin); err != nil {
			return err
		}
	}
	site.Serve{What: site.ServeStudio, Session: x.session.Name(), Studio: studio}.Ask(x)
	return nil
}
