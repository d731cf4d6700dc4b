package console

import (
	"errors"
	"net/http"
	"net/url"
	"slices"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/site"
)

// deliveriesPerPage is how many deliveries a page lists.
const deliveriesPerPage = 25

// webhookPage has a project's webhook and a part of its deliveries, newest first.
type webhookPage struct {
	Project projects.Details
	Webhook *api.Webhook // nil for none
	Origin  string       // of where it posts to: the rest of a URL may be a secret
	States  []string
	State   string // that is listed alone, "" for all
	List    []api.Delivery
	After   string
	Next    string
	Done    string
}

// showWebhook shows what became of the posts of a project's webhook.
func (c *Console) showWebhook(x *exchange) error {
	project, err := c.project(x, policy.ActionReadWebhooks)
	if err != nil {
		return err
	}
	q := x.r.URL.Query()
	page := webhookPage{
		Project: project, States: []string{api.DeliveryWaiting, api.DeliveryDelivered, api.DeliveryDead}, State: q.Get("state"), After: q.Get("after"),
	}
	if page.State != "" && !slices.Contains(page.States, page.State) || page.After != "" && !api.ValidDeliveryID(page.After) {
		return &failure{http.StatusBadRequest, "There is no such part of the list."}
	}
	if q.Get("done") == "replayed" {
		page.Done = "The delivery is posted again, as if it were new."
	}
	hook, err := c.Webhooks.Webhook(x.r.Context(), project.ID)
	if err == nil {
		page.Webhook, page.Origin = &hook, originOf(hook.URL)
	} else if !errors.Is(err, sidecar.ErrNoWebhook) {
		return err
	}
	list, err := c.Webhooks.Deliveries(x.r.Context(),
		sidecar.DeliveryQuery{ProjectID: project.ID, State: page.State, Before: page.After, Limit: deliveriesPerPage})
	if err != nil {
		return err
	}
	page.List, page.Next = list.Data, list.NextCursor
	return c.show(x, http.StatusOK, "webhook", page)
}

// replayDelivery has a delivery posted again.
func (c *Console) replayDelivery(x *exchange) error {
	project, err := c.project(x, policy.ActionWriteWebhooks)
	if err != nil {
		return err
	}
	const unknown = "The project has no such delivery."
	id := x.r.PostFormValue("delivery")
	if !api.ValidDeliveryID(id) {
		return &failure{http.StatusNotFound, unknown}
	}
	_, err = c.Webhooks.ReplayDelivery(x.r.Context(), project.ID, id)
	if errors.Is(err, sidecar.ErrUnknownDelivery) {
		return &failure{http.StatusNotFound, unknown}
	}
	if err != nil {
		return err
	}
	return x.redirect(site.Path + "projects/" + project.ID + "/webhook?done=replayed")
}

// originOf returns the scheme and host of a URL.
func originOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
