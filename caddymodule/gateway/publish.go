package gateway

import (
	"net/http"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
)

// servePart answers what is asked of a project's published game, and of how it is played.
func (p *Projects) servePart(w http.ResponseWriter, r *http.Request, q *Request) error {
	ctx := r.Context()
	switch q.Route.Action {
	case policy.ActionPublish:
		made, err := p.Sidecar.Publish(ctx, q.ProjectID, q.Publish.JobID)
		if err != nil {
			return projectError(err)
		}
		return writeJSON(w, http.StatusOK, api.Published{Success: true, Data: made})
	case policy.ActionGetProject:
		found, err := p.Sidecar.Publication(ctx, q.ProjectID)
		if err != nil {
			return projectError(err)
		}
		return writeJSON(w, http.StatusOK, api.Published{Success: true, Data: found})
	case policy.ActionUnpublish:
		if err := p.Sidecar.Unpublish(ctx, q.ProjectID); err != nil {
			return projectError(err)
		}
		return writeDone(w)
	case policy.ActionAnalytics:
		days, err := api.ParseDays(r.URL.Query().Get("days"))
		if err != nil {
			return asError(err)
		}
		read, err := p.Sidecar.Overview(ctx, q.ProjectID, days)
		if err != nil {
			return projectError(err)
		}
		return writeJSON(w, http.StatusOK, api.OverviewFound{Success: true, Data: read})
	}
	return notFound()
}
