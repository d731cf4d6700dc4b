package wire

import (
	"context"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/peer/rpc"
	"github.com/svc-games/svc/sidecar"
)

// handleWebhooks serves the calls about webhooks.
func handleWebhooks(s *rpc.Server, svc sidecar.Webhooks) {
	rpc.Handle(s, "set-webhook", func(ctx context.Context, r newWebhook) (api.Webhook, error) {
		return svc.SetWebhook(ctx, r.ProjectID, r.Request)
	})
	rpc.Handle(s, "check-job-webhook", func(ctx context.Context, r newWebhook) (nothing, error) {
		return nothing{}, svc.CheckJobWebhook(ctx, r.ProjectID, r.Request)
	})
	rpc.Handle(s, "webhook", func(ctx context.Context, r projectRef) (api.Webhook, error) { return svc.Webhook(ctx, r.ProjectID) })
	rpc.Handle(s, "drop-webhook", func(ctx context.Context, r projectRef) (nothing, error) {
		return nothing{}, svc.DropWebhook(ctx, r.ProjectID)
	})
	rpc.Handle(s, "rotate-webhook", func(ctx context.Context, r projectRef) (api.Webhook, error) {
		return svc.RotateWebhook(ctx, r.ProjectID)
	})
	rpc.Handle(s, "deliveries", func(ctx context.Context, q sidecar.DeliveryQuery) (api.DeliveryList, error) {
		return svc.Deliveries(ctx, q)
	})
	rpc.Handle(s, "replay-delivery", func(ctx context.Context, r deliveryRef) (api.Delivery, error) {
		return svc.ReplayDelivery(ctx, r.ProjectID, r.DeliveryID)
	})
}

// SetWebhook implements sidecar.Service. It is sent once: a second call would have no
// secret in its answer.
func (c *Client) SetWebhook(ctx context.Context, projectID string, req api.WebhookRequest) (api.Webhook, error) {
	return once[api.Webhook](ctx, c, "set-webhook", newWebhook{projectID, req})
}

// CheckJobWebhook implements sidecar.Service.
func (c *Client) CheckJobWebhook(ctx context.Context, projectID string, req api.WebhookRequest) error {
	_, err := call[nothing](ctx, c, readTimeout, "check-job-webhook", newWebhook{projectID, req})
	return err
}

// Webhook implements sidecar.Service.
func (c *Client) Webhook(ctx context.Context, projectID string) (api.Webhook, error) {
	return call[api.Webhook](ctx, c, readTimeout, "webhook", projectRef{projectID})
}

// DropWebhook implements sidecar.Service.
func (c *Client) DropWebhook(ctx context.Context, projectID string) error {
	_, err := call[nothing](ctx, c, saveTimeout, "drop-webhook", projectRef{projectID})
	return err
}

// RotateWebhook implements sidecar.Service. It is sent once: a second call would take
// the secret in use back.
func (c *Client) RotateWebhook(ctx context.Context, projectID string) (api.Webhook, error) {
	return once[api.Webhook](ctx, c, "rotate-webhook", projectRef{projectID})
}

// Deliveries implements sidecar.Service.
func (c *Client) Deliveries(ctx context.Context, q sidecar.DeliveryQuery) (api.DeliveryList, error) {
	return call[api.DeliveryList](ctx, c, readTimeout, "deliveries", q)
}

// ReplayDelivery implements sidecar.Service.
func (c *Client) ReplayDelivery(ctx context.Context, projectID, deliveryID string) (api.Delivery, error) {
	return call[api.Delivery](ctx, c, saveTimeout, "replay-delivery", deliveryRef{projectID, deliveryID})
}
