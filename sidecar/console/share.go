package console

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/sessions"
)

// shareDays are how long a share may last.
var shareDays = []int{1, 7, 30}

// sharePage has what is shared of a project.
type sharePage struct {
	Project projects.Details
	Rev     int    // that is to be shared, 0 for none
	Link    string // of the share that was made just now
	Days    []int
	Shares  []sessions.Share
	Done    string
}

// showShares shows what is shared of a project, and the form that shares a version.
func (c *Console) showShares(x *exchange) error {
	project, err := c.project(x, policy.ActionGetProject)
	if err != nil {
		return err
	}
	rev, _ := strconv.Atoi(x.r.URL.Query().Get("rev")) // what is no number is none
	page := sharePage{Project: project, Rev: max(rev, 0)}
	if x.r.URL.Query().Get("done") == "ended" {
		page.Done = "The link shows nothing any more."
	}
	return c.presentShares(x, page)
}

func (c *Console) presentShares(x *exchange, page sharePage) (err error) {
	page.Days = shareDays
	if page.Shares, err = c.Sessions.Shares(x.r.Context(), x.user, page.Project.ID); err != nil {
		return err
	}
	return c.show(x, http.StatusOK, "share", page)
}

// endShare ends a share: what one shares one may take back.
func (c *Console) endShare(x *exchange, end string) error {
	project, err := c.project(x, policy.ActionGetProject)
	if err != nil {
		return err
	}
	if err := c.Sessions.EndShare(x.r.Context(), x.user, project.ID, end); err != nil {
		return err
	}
	return x.redirect("/console/projects/" + project.ID + "/share?done=ended")
}

// share makes a link by which whoever has it plays one version of the project's game,
// whatever the project becomes, until it expires; or it ends one.
func (c *Console) share(x *exchange) error {
	if end := x.r.PostFormValue("end"); end != "" {
		return c.endShare(x, end)
	}
	project, err := c.project(x, policy.ActionPublish)
	if err != nil {
		return err
	}
	origin := c.options.Preview(x.r)
	if origin == "" {
		return &failure{http.StatusConflict, "No previews are set up here, so there is no address that could be shared."}
	}
	rev, err := strconv.Atoi(x.r.PostFormValue("rev"))
	days, errDays := strconv.Atoi(x.r.PostFormValue("days"))
	if err != nil || errDays != nil || rev < 1 || days < 1 || days > int(sessions.MaxShareTTL/(24*time.Hour)) {
		return &failure{http.StatusBadRequest, "rev must be the number of a version, and days from 1 to 30."}
	}
	code, err := c.Sessions.NewShare(x.r.Context(), x.user, project.ID, rev, time.Duration(days)*24*time.Hour)
	if errors.Is(err, sessions.ErrShares) {
		return &failure{http.StatusConflict, fmt.Sprintf("You share %d versions already, the most there can be. End one first.", sessions.MaxShares)}
	}
	if err != nil {
		return err
	}
	return c.presentShares(x, sharePage{Project: project, Link: fmt.Sprintf("%s/%s/%d/index.html", origin, code, rev)})
}
