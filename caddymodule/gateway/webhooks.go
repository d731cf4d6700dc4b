package gateway

import (
	"errors"
	"net/http"
	"slices"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// serveWebhook answers what is asked of a project's webhook and its deliveries.
func (p *Projects) serveWebhook(w http.ResponseWriter, r *http.Request, q *Request) error {
	var hook api.Webhook
	var err error
	switch reads := q.Route.Action == policy.ActionReadWebhooks; {
	case q.Route.Part == partDeliveries:
		return p.listDeliveries(w, r, q)
	case q.Route.Part == partReplay:
		return p.replay(w, r, q)
	case q.Route.Part == partSecret:
		hook, err = p.Sidecar.RotateWebhook(r.Context(), q.ProjectID)
	case reads:
		hook, err = p.Sidecar.Webhook(r.Context(), q.ProjectID)
	case r.Method == http.MethodDelete:
		return respond(w, done{true}, p.Sidecar.DropWebhook(r.Context(), q.ProjectID))
	default:
		hook, err = p.Sidecar.SetWebhook(r.Context(), q.ProjectID, q.Webhook)
	}
	if errors.Is(err, sidecar.ErrInDoubt) {
		// Not a 503, after which clients do the same again, and the secret in use is gone.
		return &answers.Error{
			Status:  http.StatusGatewayTimeout,
			Message: "The store's answer was lost. The webhook may be set, or its secret replaced; read it, and make another secret if you miss this one.",
			Cause:   err,
		}
	}
	return respond(w, api.WebhookFound{Success: true, Data: hook}, err)
}

func (p *Projects) listDeliveries(w http.ResponseWriter, r *http.Request, q *Request) error {
	query := r.URL.Query()
	asked := sidecar.DeliveryQuery{ProjectID: q.ProjectID, State: query.Get("state"), Before: query.Get("after")}
	limit, refused := pageSize(query)
	if refused != nil {
		return refused
	}
	asked.Limit = limit
	if !slices.Contains([]string{"", api.DeliveryWaiting, api.DeliveryDelivered, api.DeliveryDead}, asked.State) {
		return answers.BadRequest("state must be one of: %s, %s, %s.", api.DeliveryWaiting, api.DeliveryDelivered, api.DeliveryDead)
	}
	if asked.Before != "" && !api.ValidDeliveryID(asked.Before) {
		return answers.BadRequest("after is not a cursor of this list.")
	}
	list, err := p.Sidecar.Deliveries(r.Context(), asked)
	return respond(w, list, err)
}

func (p *Projects) replay(w http.ResponseWriter, r *http.Request, q *Request) error {
	found, err := p.Sidecar.ReplayDelivery(r.Context(), q.ProjectID, q.DeliveryID)
	return respond(w, api.DeliveryFound{Success: true, Data: found}, err)
}
