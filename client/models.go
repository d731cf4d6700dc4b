package client

import (
	"context"
	"net/http"

	"github.com/svc-games/svc/api"
)

// Models returns what settings.model may name, api.ModelEmbedded first.
func (c *Client) Models(ctx context.Context) ([]api.Model, error) {
	var list api.ModelList
	err := c.ask(ctx, http.MethodGet, "/v1/models", nil, &list)
	return list.Data, err
}
