package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/svc-games/svc/api"
)

// Publish has players get the game of a completed job, instead of another one if there is.
func (c *Client) Publish(ctx context.Context, projectID, jobID string) (api.Publication, error) {
	var made api.Published
	err := c.ask(ctx, http.MethodPost, partOf(projectID, "publish"), api.PublishRequest{JobID: jobID}, &made)
	return made.Data, err
}

// Unpublish takes a project's publication back.
func (c *Client) Unpublish(ctx context.Context, projectID string) error {
	var done struct{}
	return c.ask(ctx, http.MethodDelete, partOf(projectID, "publish"), nil, &done)
}

// Publication returns which job's game players get. An *Error with status 404 says that
// there is none.
func (c *Client) Publication(ctx context.Context, projectID string) (api.Publication, error) {
	var found api.Published
	err := c.ask(ctx, http.MethodGet, partOf(projectID, "publish"), nil, &found)
	return found.Data, err
}

// Overview returns how a project's game was played in the last days; 0 stands for
// api.DefaultOverviewDays.
func (c *Client) Overview(ctx context.Context, projectID string, days int) (api.Overview, error) {
	path := partOf(projectID, "analytics/overview")
	if days != 0 {
		path += "?days=" + strconv.Itoa(days)
	}
	var found api.OverviewFound
	err := c.ask(ctx, http.MethodGet, path, nil, &found)
	return found.Data, err
}

// View returns one of api.Views: how a project's game was played. What it returns with
// NextCursor goes on there.
func (c *Client) View(ctx context.Context, projectID string, q api.ViewQuery) (api.View, error) {
	q.Format = api.FormatJSON
	var found api.ViewFound
	err := c.ask(ctx, http.MethodGet, partOf(projectID, "analytics/"+q.Name)+"?"+q.Values().Encode(), nil, &found)
	return found.Data, err
}

func partOf(projectID, part string) string {
	return "/v1/projects/" + url.PathEscape(projectID) + "/" + part
}
