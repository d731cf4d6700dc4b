package webhooks

import (
	"cmp"
	"context"
	"fmt"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
)

const columns = "id, job_id, event, state, attempts, status, problem, created_at, due_at, coalesce(ended_at, 0)"

// last is above the id of every delivery.
const last = "n"

// Deliveries implements sidecar.Service.
func (g *Registry) Deliveries(ctx context.Context, q sidecar.DeliveryQuery) (api.DeliveryList, error) {
	list := api.DeliveryList{Success: true}
	before := q.Before
	before = cmp.Or(before, last)
	var err error
	list.Data, err = store.Read(ctx, g.store, func(r *store.Reader) ([]api.Delivery, error) {
		if q.State == "" {
			return store.All(r, delivery, "SELECT "+columns+` FROM webhook_deliveries WHERE project_id = ? AND id < ?
				ORDER BY id DESC LIMIT ?`, q.ProjectID, before, q.Limit+1)
		}
		return store.All(r, delivery, "SELECT "+columns+` FROM webhook_deliveries WHERE project_id = ? AND id < ? AND state = ?
			ORDER BY id DESC LIMIT ?`, q.ProjectID, before, q.State, q.Limit+1)
	})
	if err != nil {
		return api.DeliveryList{}, fmt.Errorf("listing deliveries of project %s: %w", q.ProjectID, err)
	}
	if len(list.Data) > q.Limit {
		list.Data = list.Data[:q.Limit]
		list.NextCursor = list.Data[q.Limit-1].ID
	}
	return list, nil
}

// ReplayDelivery implements sidecar.Service.
func (g *Registry) ReplayDelivery(ctx context.Context, projectID, id string) (api.Delivery, error) {
	var found api.Delivery
	err := g.store.Update(ctx, func(tx *store.Tx) error {
		now, err := tx.Now(g.now)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(`UPDATE webhook_deliveries SET state = 'waiting', attempts = 0, ended_at = NULL, due_at = ?
			WHERE id = ? AND project_id = ?`, now.UnixMilli(), id, projectID); err != nil {
			return err
		}
		err = tx.Each(func(scan store.Scan) (err error) {
			found, err = delivery(scan)
			return err
		}, "SELECT "+columns+" FROM webhook_deliveries WHERE id = ? AND project_id = ?", id, projectID)
		if err == nil && found.ID == "" {
			err = sidecar.ErrUnknownDelivery
		}
		return err
	})
	if err != nil {
		return api.Delivery{}, fmt.Errorf("replaying %s: %w", id, err)
	}
	return found, nil
}

func delivery(scan store.Scan) (api.Delivery, error) {
	var d api.Delivery
	var created, due, ended int64
	err := scan(&d.ID, &d.JobID, &d.Event, &d.State, &d.Attempts, &d.Status, &d.Problem, &created, &due, &ended)
	d.CreatedAt = *instant(created)
	if d.State == api.DeliveryWaiting {
		d.NextAt = instant(due)
	} else {
		d.EndedAt = instant(ended)
	}
	return d, err
}
