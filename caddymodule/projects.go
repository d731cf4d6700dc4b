package caddymodule

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/caddymodule/gateway"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// Projects answers /v1/projects and passes everything else on.
type Projects struct {
	app *App
}

// CaddyModule returns the Caddy module information.
func (Projects) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.svc_projects", New: func() caddy.Module { return new(Projects) }}
}

// Provision finds the app.
func (p *Projects) Provision(ctx caddy.Context) (err error) {
	if p.app, err = appOf(ctx); err != nil {
		return err
	}
	return p.app.addStep(ctx, stepProjects)
}

func (p *Projects) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	q, shared, err := known(p.app, r, stepProjects)
	if err != nil {
		return err
	}
	switch q.Route.Action {
	case policy.ActionCreateProject:
		return create(w, r, q, shared)
	case policy.ActionListProjects:
		return list(w, r, q, shared)
	case policy.ActionGetProject:
		found, err := shared.Sidecar.Project(r.Context(), q.ProjectID)
		if err != nil {
			return refuse(projectError(err))
		}
		return gateway.WriteJSON(w, http.StatusOK, api.ProjectFound{Success: true, Data: found.Project})
	case policy.ActionDeleteProject:
		return remove(w, r, q, shared)
	}
	return next.ServeHTTP(w, r)
}

func create(w http.ResponseWriter, r *http.Request, q *gateway.Request, shared *Shared) error {
	made, err := shared.Sidecar.CreateProject(r.Context(), q.UserID, q.Project)
	if errors.Is(err, sidecar.ErrInDoubt) {
		// Not a 503, after which clients send the same again.
		return refuse(&api.Error{
			Status:  http.StatusGatewayTimeout,
			Message: "The store's answer was lost. The project may exist; list the projects before you create it again.",
			Cause:   err,
		})
	}
	if err != nil {
		return refuse(projectError(err))
	}
	return gateway.WriteJSON(w, http.StatusCreated, api.ProjectCreated{
		Success: true,
		Data:    api.ProjectCreatedRef{ID: made.ID, Name: made.Name},
	})
}

// Page sizes of the list of projects.
const (
	defaultPage = 20
	maxPage     = 100
)

func list(w http.ResponseWriter, r *http.Request, q *gateway.Request, shared *Shared) error {
	limit := defaultPage
	query := r.URL.Query()
	if s := query.Get("limit"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > maxPage {
			return refuse(api.BadRequest("limit must be a number from 1 to %d.", maxPage))
		}
		limit = n
	}
	page, err := shared.Sidecar.Projects(r.Context(), q.UserID, query.Get("after"), limit)
	if err != nil {
		return refuse(projectError(err))
	}
	return gateway.WriteJSON(w, http.StatusOK, page)
}

// removeTimeout bounds the deletion of a project.
const removeTimeout = time.Minute

// remove deletes the project in the ledger first: from then on no submission
// can start its engine again. A client that leaves changes nothing: nobody could
// ask for the files' deletion again once the ledger has forgotten the project.
// What this process's death leaves the engine proxy finds by the ledger's mark.
func remove(w http.ResponseWriter, r *http.Request, q *gateway.Request, shared *Shared) error {
	ctx, done := context.WithTimeout(context.WithoutCancel(r.Context()), removeTimeout)
	defer done()
	if err := shared.Sidecar.DeleteProject(ctx, q.ProjectID); err != nil {
		return refuse(projectError(err))
	}
	if err := shared.Engines.Forget(ctx, q.ProjectID); err != nil {
		return refuse(api.Unavailable("The project is deleted; its files could not be removed yet.", 1e9, err))
	}
	return gateway.WriteJSON(w, http.StatusOK, struct {
		Success bool `json:"success"`
	}{true})
}

func projectError(err error) *api.Error {
	var refused *api.Error
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.Is(err, sidecar.ErrProjectBusy):
		return &api.Error{Status: http.StatusConflict, Message: "The project has a job that has not ended."}
	case errors.Is(err, sidecar.ErrUnknownProject):
		return &api.Error{Status: http.StatusNotFound, Message: "There is no such project."}
	}
	return api.Unavailable("Projects can't be reached right now.", 1e9, err)
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Projects)(nil)
	_ caddyhttp.MiddlewareHandler = (*Projects)(nil)
)
