package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"time"

	"github.com/svc-games/svc/api"
)

// CreateProject makes a project of the key's user. It is sent again for a minute after a 502,
// 503, 504 or a lost answer, with the same random Idempotency-Key, so that it makes one project;
// WithIdempotencyKey gives it another one. After an error that is none of these, and no refusal, the project may exist:
// Projects says so.
func (c *Client) CreateProject(ctx context.Context, req api.ProjectRequest, opts ...GenerateOption) (api.ProjectCreatedRef, error) {
	if req.Template == "" {
		req.Template = api.TemplateBlank
	}
	var created api.ProjectCreated
	header, err := once(opts)
	if err != nil {
		return api.ProjectCreatedRef{}, err
	}
	err = c.again(ctx, min(callBudget, c.opts.RetryBudget), projectDelay, func() error {
		return c.call(ctx, http.MethodPost, "/v1/projects", header, req, &created)
	})
	return created.Data, err
}

// projectDelay is the retryDelay of calls that are safe to repeat, such as the creation of a
// project, which has an Idempotency-Key, and that start no engine, which takes its time.
func projectDelay(err error, attempt int) (time.Duration, bool) {
	if wait, again := callDelay(err, attempt); again {
		return wait, true
	}
	return onceDelay(err, attempt)
}

// Projects yields the projects of the key's user, and those that are shared with the user,
// newest first, page by page.
// An error ends it.
func (c *Client) Projects(ctx context.Context) iter.Seq2[api.Project, error] {
	return pages(func(after string) ([]api.Project, string, error) {
		var page api.ProjectList
		err := c.ask(ctx, http.MethodGet, listPath("/v1/projects", "after", after), nil, &page)
		return page.Data, page.NextCursor, err
	})
}

// Project returns a project of the key's user.
func (c *Client) Project(ctx context.Context, projectID string) (api.Project, error) {
	var found api.ProjectFound
	err := c.ask(ctx, http.MethodGet, "/v1/projects/"+url.PathEscape(projectID), nil, &found)
	return found.Data, err
}

// DeleteProject deletes a project with all that belongs to it. One with a job that
// has not ended is an *Error that is ErrConflict.
func (c *Client) DeleteProject(ctx context.Context, projectID string) error {
	var done struct{}
	return c.ask(ctx, http.MethodDelete, "/v1/projects/"+url.PathEscape(projectID), nil, &done)
}
