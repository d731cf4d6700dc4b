package console

import (
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/site"
)

// livePrefix marks the subject of a preview's code that is a project, not a job.
const livePrefix = "project:"

// openStudio has the gateway answer: it has the engines. The console says who looks, and
// where the game of a project that is theirs is shown.
func (c *Console) openStudio(x *exchange) error {
	key, err := c.Keys.Studio(x.r.Context(), x.user)
	if err != nil {
		return err
	}
	studio := site.Studio{KeyID: key, UserID: x.user, Origin: c.options.Preview(x.r)}
	if id := x.r.PathValue("project"); id != "" && studio.Origin != "" {
		d, err := c.decide(x.r.Context(), x.user, id, policy.ActionPreview)
		if err != nil {
			return err
		}
		if d.Allow {
			code, err := c.Sessions.NewPreview(x.r.Context(), x.user, livePrefix+id)
			if err != nil {
				return err
			}
			studio.Preview = studio.Origin + "/" + code
		}
	}
	site.Serve{What: site.ServeStudio, Session: x.session.Name(), Studio: studio}.Ask(x)
	return nil
}
