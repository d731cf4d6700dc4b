package gateway

import (
	"net/http"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/requests"
	"github.com/svc-games/svc/policy"
)

// servePart answers what is asked of a project's published game, of how it is played, and
// of its webhook.
func (p *Projects) servePart(w http.ResponseWriter, r *http.Request, q *Request) error {
	ctx := r.Context()
	switch q.Route.Part {
	case partSettings:
		return p.servePlaySettings(w, r, q)
	case partExperiments:
		return p.serveExperiments(w, r, q)
	case partBoard:
		return p.serveBoard(w, r, q)
	case partKey:
		made, err := p.Sidecar.RotatePlayKey(ctx, q.ProjectID, q.KeepKey)
		return respond(w, api.Published{Success: true, Data: made}, err)
	}
	switch q.Route.Action {
	case policy.ActionReadWebhooks, policy.ActionWriteWebhooks:
		return p.serveWebhook(w, r, q)
	case policy.ActionPublish:
		made, err := p.Sidecar.Publish(ctx, q.ProjectID, q.Publish.JobID)
		return respond(w, api.Published{Success: true, Data: made}, err)
	case policy.ActionGetProject:
		found, err := p.Sidecar.Publication(ctx, q.ProjectID)
		return respond(w, api.Published{Success: true, Data: found}, err)
	case policy.ActionUnpublish:
		return respond(w, done{true}, p.Sidecar.Unpublish(ctx, q.ProjectID))
	case policy.ActionAnalytics:
		return p.serveView(w, r, q)
	}
	return notFound()
}

// servePlaySettings answers with what is set for a game, changed or not.
func (p *Projects) servePlaySettings(w http.ResponseWriter, r *http.Request, q *Request) error {
	var found api.PlaySettings
	var err error
	if q.Route.Action == policy.ActionPublish {
		found, err = p.Sidecar.SetPlaySettings(r.Context(), q.ProjectID, q.PlayChange)
	} else {
		found, err = p.Sidecar.PlaySettings(r.Context(), q.ProjectID)
	}
	return respond(w, api.PlaySettingsFound{Success: true, Data: found}, err)
}

// serveExperiments answers with a game's experiments, after a change or without.
func (p *Projects) serveExperiments(w http.ResponseWriter, r *http.Request, q *Request) error {
	var found []api.Experiment
	var err error
	if q.Route.Action == policy.ActionPublish {
		found, err = p.Sidecar.ChangeExperiment(r.Context(), q.ProjectID, q.Experiment)
	} else {
		found, err = p.Sidecar.Experiments(r.Context(), q.ProjectID)
	}
	return respond(w, api.ExperimentList{Success: true, Data: found}, err)
}

// serveBoard answers with how a game's board counts, changed or not.
func (p *Projects) serveBoard(w http.ResponseWriter, r *http.Request, q *Request) error {
	var found api.BoardRules
	var err error
	if q.Route.Action == policy.ActionPublish {
		found, err = p.Sidecar.SetBoardRules(r.Context(), q.ProjectID, q.Board)
	} else {
		found, err = p.Sidecar.BoardRules(r.Context(), q.ProjectID)
	}
	return respond(w, api.BoardRulesFound{Success: true, Data: found}, err)
}

// nextCursor is the header of a view as CSV or NDJSON that says where more rows are.
const nextCursor = "Svc-Next-Cursor"

// serveView answers with how the game was played: as JSON with all its tables, else with
// one of them.
func (p *Projects) serveView(w http.ResponseWriter, r *http.Request, q *Request) error {
	asked, err := requests.ParseViewQuery(strings.TrimPrefix(q.Route.Part, partView), r.URL.Query())
	if err != nil {
		return asError(err)
	}
	if asked.Name == api.ViewOverview && asked.Format == api.FormatJSON {
		read, err := p.Sidecar.Overview(r.Context(), q.ProjectID, asked.Days)
		return respond(w, api.OverviewFound{Success: true, Data: read}, err)
	}
	view, err := p.Sidecar.View(r.Context(), q.ProjectID, asked)
	if err != nil || asked.Format == api.FormatJSON {
		return respond(w, api.ViewFound{Success: true, Data: view}, err)
	}
	table, err := requests.TableOf(view, asked.Table)
	if err != nil {
		return asError(err)
	}
	write, kind := table.WriteCSV, "text/csv; charset=utf-8"
	if asked.Format == api.FormatNDJSON {
		write, kind = table.WriteNDJSON, "application/x-ndjson"
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if view.NextCursor != "" {
		h.Set(nextCursor, view.NextCursor)
	}
	return write(w)
}
