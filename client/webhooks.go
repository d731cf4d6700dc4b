package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/webhook"
)

// SetWebhook has the ends of a project's jobs posted to a URL, instead of the one before if
// there is. No event stands for all. The answer has the secret where there was no webhook;
// after a lost answer RotateWebhook makes another.
func (c *Client) SetWebhook(ctx context.Context, projectID, address string, events ...string) (api.Webhook, error) {
	body := struct {
		URL    string   `json:"url"`
		Events []string `json:"events,omitempty"`
	}{address, events}
	return c.webhook(ctx, http.MethodPost, projectID, "webhook", body)
}

// Webhook returns a project's webhook without its secret. An *Error with status 404 says
// that there is none.
func (c *Client) Webhook(ctx context.Context, projectID string) (api.Webhook, error) {
	return c.webhook(ctx, http.MethodGet, projectID, "webhook", nil)
}

// RotateWebhook makes another secret, which the answer has. For a day posts are signed with
// the one before as well. An *Error with status 504 says that it may have been made, and
// was lost with the answer.
func (c *Client) RotateWebhook(ctx context.Context, projectID string) (api.Webhook, error) {
	return c.webhook(ctx, http.MethodPost, projectID, "webhook/secret", nil)
}

func (c *Client) webhook(ctx context.Context, method, projectID, part string, body any) (api.Webhook, error) {
	var found api.WebhookFound
	err := c.ask(ctx, method, partOf(projectID, part), body, &found)
	return found.Data, err
}

// DropWebhook has nothing of the project posted any more, and forgets its deliveries.
func (c *Client) DropWebhook(ctx context.Context, projectID string) error {
	var done struct{}
	return c.ask(ctx, http.MethodDelete, partOf(projectID, "webhook"), nil, &done)
}

// Deliveries yields what was posted for a project, newest first, page by page; state is one
// of api's, or "" for all. An error ends it.
func (c *Client) Deliveries(ctx context.Context, projectID, state string) iter.Seq2[api.Delivery, error] {
	return func(yield func(api.Delivery, error) bool) {
		query := url.Values{"limit": {"100"}}
		if state != "" {
			query.Set("state", state)
		}
		for {
			var page api.DeliveryList
			path := partOf(projectID, "webhook/deliveries") + "?" + query.Encode()
			if err := c.ask(ctx, http.MethodGet, path, nil, &page); err != nil {
				yield(api.Delivery{}, err)
				return
			}
			for _, d := range page.Data {
				if !yield(d, nil) {
					return
				}
			}
			if page.NextCursor == "" || page.NextCursor == query.Get("after") {
				return
			}
			query.Set("after", page.NextCursor)
		}
	}
}

// ReplayDelivery has a delivery posted again, as if it were new.
func (c *Client) ReplayDelivery(ctx context.Context, projectID, deliveryID string) (api.Delivery, error) {
	body := struct {
		DeliveryID string `json:"deliveryId"`
	}{deliveryID}
	var found api.DeliveryFound
	err := c.ask(ctx, http.MethodPost, partOf(projectID, "webhook/replay"), body, &found)
	return found.Data, err
}

// VerifyWebhook returns nil when a post is one of the service, signed with the secret in the
// last five minutes. body must be the bytes that came.
func VerifyWebhook(h http.Header, body []byte, secret string) error {
	return webhook.Verify(h, body, secret, time.Now())
}
