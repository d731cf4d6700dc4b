package console

import (
	"context"
	"net/http"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/sidecar"
)

// decide has the policy decide what a user may do here.
func (c *Console) decide(ctx context.Context, userID, projectID string, action policy.Action) (policy.Decision, error) {
	return c.Access.DecideUser(decisionlog.WithPage(ctx), atConsole(userID), projectID, action)
}

// atConsole is a user of the console, to the policy.
func atConsole(userID string) policy.User { return policy.User{ID: userID, Via: policy.ViaConsole} }

// allow returns the policy's refusal as a page, nil when there is none.
func (c *Console) allow(x *exchange, projectID string, action policy.Action) error {
	d, err := c.decide(x.r.Context(), x.user, projectID, action)
	if err == nil && !d.Allow {
		err = &failure{d.Status, d.Error}
	}
	return err
}

// allowed lets a user pass who is signed in and may use the console and do what the
// action says, "" for what is decided further on.
func (c *Console) allowed(action policy.Action, next func(*exchange) error) http.Handler {
	return c.signedIn(func(x *exchange) error {
		err := c.allow(x, "", policy.ActionReadConsole)
		if err == nil && action != "" {
			err = c.allow(x, "", action)
		}
		if err != nil {
			return err
		}
		return next(x)
	})
}

// allowProject returns the refusal of an action on a project. A project that the user
// may not see gets the answer of one that does not exist.
func (c *Console) allowProject(x *exchange, projectID string, action policy.Action, unknown string) error {
	d, err := c.decide(x.r.Context(), x.user, projectID, policy.ActionGetProject)
	switch {
	case err != nil:
		return err
	case !d.Allow:
		return &failure{http.StatusNotFound, unknown}
	case action == policy.ActionGetProject:
		return nil
	}
	return c.allow(x, projectID, action)
}

// allowedProjects leaves those projects of a list that the user may see.
func (c *Console) allowedProjects(x *exchange, list []api.Project) ([]api.Project, error) {
	var seen []api.Project
	ctx := decisionlog.WithRepeats(x.r.Context()) // a page has up to a hundred
	for _, project := range list {
		d, err := c.decide(ctx, x.user, project.ID, policy.ActionGetProject)
		if err != nil {
			return nil, err
		}
		if d.Allow {
			seen = append(seen, project)
		}
	}
	return seen, nil
}

// streamName names to Ended what a stream of a job's events rests on: the session, and
// that its user may read the events of the project.
func streamName(x *exchange, job sidecar.Job) string {
	return strings.Join([]string{x.session.Name(), job.ProjectID, x.user}, streamSeparator)
}

// streamSeparator is in none of the parts of a stream's name.
const streamSeparator = "~"

// Ended implements site.Site. It has the policy decide again when what decisions rest
// on has changed since the last look.
func (c *Console) Ended(ctx context.Context, stream string) (bool, error) {
	session, rest, ofJob := strings.Cut(stream, streamSeparator)
	if ended, err := c.Sessions.Ended(ctx, session); ended || err != nil || !ofJob {
		return ended, err
	}
	basis, err := c.Basis(ctx)
	now := c.Now()
	if err != nil || c.streams.allowed(stream, basis, peer.RequestOf(ctx), now) {
		return false, err
	}
	by := allowance{basis: basis}
	projectID, userID, _ := strings.Cut(rest, streamSeparator)
	for _, action := range []policy.Action{policy.ActionReadConsole, policy.ActionGetProject, policy.ActionEvents} {
		d, err := c.decide(ctx, userID, projectID, action)
		if err != nil || !d.Allow {
			return err == nil, err
		}
		by.lasts(d.Reads, peer.RequestOf(ctx), now)
	}
	c.streams.allow(stream, by)
	return false, nil
}
