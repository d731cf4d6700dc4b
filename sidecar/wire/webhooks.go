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
	rpc.HandleDone(s, "check-job-webhook", func(ctx context.Context, r newWebhook) error {
		return svc.CheckJobWebhook(ctx, r.ProjectID, r.Request)
	})
	rpc.HandleProject(s, "webhook", svc.Webhook)
	rpc.HandleDone(s, "drop-webhook", func(ctx context.Context, r rpc.ProjectRef) error { return svc.DropWebhook(ctx, r.ProjectID) })
	rpc.HandleProject(s, "rotate-webhook", svc.RotateWebhook)
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
	_, err := call[rpc.Nothing](ctx, c, readTimeout, "check-job-webhook", newWebhook{projectID, req})
	return err
}

// Webhook implements sidecar.Service.
func (c *Client) Webhook(ctx context.Context, projectID string) (api.Webhook, error) {
	return call[api.Webhook](ctx, c, readTimeout, "webhook", rpc.ProjectRef{ProjectID: projectID})
}

// DropWebhook implements sidecar.Service.
func (c *Client) DropWebhook(ctx context.Context, projectID string) error {
	_, err := call[rpc.Nothing](ctx, c, saveTimeout, "drop-webhook", rpc.ProjectRef{ProjectID: projectID})
	return err
}

// RotateWebhook implements sidecar.Service. It is sent once: a second call would take
// the secret in use back.
func (c *Client) RotateWebhook(ctx context.Context, projectID string) (api.Webhook, error) {
	return once[api.Webhook](ctx, c, "rotate-webhook", rpc.ProjectRef{ProjectID: projectID})
}

// Deliveries implements sidecar.Service.
func (c *Client) Deliveries(ctx context.Context, q sidecar.DeliveryQuery) (api.DeliveryList, error) {
	return call[api.DeliveryList](ctx, c, readTimeout, "deliveries", q)
}

// ReplayDelivery implements sidecar.Service.
func (c *Client) ReplayDelivery(ctx context.Context, projectID, deliveryID string) (api.Delivery, error) {
	return call[api.Delivery](ctx, c, saveTimeout, "replay-delivery", deliveryRef{projectID, deliveryID})
}
