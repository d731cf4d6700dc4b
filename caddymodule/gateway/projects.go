package gateway

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// Projects makes, lists, shows and deletes projects. It is safe for concurrent use.
type Projects struct {
	Sidecar sidecar.Service
	Engines engineproxy.Engines
}

// Serve answers what is asked of a project or of a user's projects. Its error is an
// *answers.Error, or that of the client's connection.
func (p *Projects) Serve(w http.ResponseWriter, r *http.Request, q *Request) error {
	if q.Route.Part != "" {
		return p.servePart(w, r, q)
	}
	switch q.Route.Action {
	case policy.ActionCreateProject:
		return p.create(w, r, q)
	case policy.ActionListProjects:
		return p.list(w, r, q)
	case policy.ActionGetProject:
		return p.get(w, r, q)
	case policy.ActionDeleteProject:
		return p.remove(w, r, q)
	}
	return notFound()
}

func (p *Projects) get(w http.ResponseWriter, r *http.Request, q *Request) error {
	found, err := p.Sidecar.Project(r.Context(), q.ProjectID)
	return respond(w, api.ProjectFound{Success: true, Data: found.Project}, err)
}

func (p *Projects) create(w http.ResponseWriter, r *http.Request, q *Request) error {
	var made api.Project
	var err error
	if q.IdempotencyKey == "" {
		made, err = p.Sidecar.CreateProject(r.Context(), q.UserID, q.Project)
	} else {
		var replayed bool
		made, replayed, err = p.Sidecar.CreateProjectOnce(r.Context(), q.UserID, q.Project,
			sidecar.Once{KeyID: q.KeyID, Name: q.IdempotencyKey, Fingerprint: q.Fingerprint})
		if replayed {
			w.Header().Set(headerReplayed, "true")
		}
	}
	if errors.Is(err, sidecar.ErrInDoubt) && q.IdempotencyKey == "" {
		// Not a 503, after which clients send the same again.
		return &answers.Error{
			Status:  http.StatusGatewayTimeout,
			Message: "The store's answer was lost. The project may exist; list the projects before you create it again.",
			Cause:   err,
		}
	}
	if err != nil {
		return projectError(err)
	}
	return writeJSON(w, http.StatusCreated, api.ProjectCreated{
		Success: true,
		Data:    api.ProjectCreatedRef{ID: made.ID, Name: made.Name},
	})
}

func (p *Projects) list(w http.ResponseWriter, r *http.Request, q *Request) error {
	query := r.URL.Query()
	limit, refused := pageSize(query)
	if refused != nil {
		return refused
	}
	page, err := p.Sidecar.Projects(r.Context(), q.UserID, query.Get("after"), limit)
	if err != nil {
		return projectError(err)
	}
	if page.Data, err = p.Allowed(r.Context(), q.KeyID, policy.ActionGetProject, page.Data); err != nil {
		return answers.Unavailable("Access can't be checked right now.", retrySoon, err)
	}
	return writeJSON(w, http.StatusOK, page)
}

// Allowed leaves those projects with which the policy lets the key's user do something.
func (p *Projects) Allowed(ctx context.Context, keyID string, action policy.Action, all []api.Project) ([]api.Project, error) {
	seen := make([]api.Project, 0, len(all))
	for _, project := range all {
		d, err := p.Sidecar.Decide(ctx, keyID, project.ID, action)
		if err != nil {
			return nil, err
		}
		if d.Allow {
			seen = append(seen, project)
		}
	}
	return seen, nil
}

// removeTimeout bounds the deletion of a project.
const removeTimeout = time.Minute

// remove deletes the project in the ledger first: from then on no submission
// can start its engine again. A client that leaves changes nothing: nobody could
// ask for the files' deletion again once the ledger has forgotten the project.
// What this process's death leaves the engine proxy finds by the ledger's mark.
func (p *Projects) remove(w http.ResponseWriter, r *http.Request, q *Request) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), removeTimeout)
	defer cancel()
	if err := p.Sidecar.DeleteProject(ctx, q.ProjectID); err != nil {
		return projectError(err)
	}
	if err := p.Engines.Forget(ctx, q.ProjectID); err != nil {
		return answers.Unavailable("The project is deleted; its files could not be removed yet.", retrySoon, err)
	}
	return respond(w, done{true}, nil)
}

// done is the answer to a request that has nothing else to say.
type done struct {
	Success bool `json:"success"`
}

// respond answers with what the sidecar found or did, or with its error.
func respond(w http.ResponseWriter, found any, err error) error {
	if err != nil {
		return projectError(err)
	}
	return writeJSON(w, http.StatusOK, found)
}

func projectError(err error) *answers.Error {
	var refused *answers.Error
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.Is(err, sidecar.ErrIdempotencyMismatch):
		return otherRequest()
	case errors.Is(err, sidecar.ErrNoWebhook):
		return &answers.Error{Status: http.StatusNotFound, Message: "The project has no webhook."}
	case errors.Is(err, sidecar.ErrUnknownDelivery):
		return &answers.Error{Status: http.StatusNotFound, Message: "There is no such delivery in this project."}
	case errors.Is(err, sidecar.ErrProjectBusy):
		return &answers.Error{Status: http.StatusConflict, Message: "The project has a job that has not ended."}
	case errors.Is(err, sidecar.ErrUnknownJob):
		return unknownJob()
	case errors.Is(err, sidecar.ErrNotPublished):
		return &answers.Error{Status: http.StatusNotFound, Message: "The project is not published."}
	case errors.Is(err, sidecar.ErrUnknownProject):
		return &answers.Error{Status: http.StatusNotFound, Message: "There is no such project."}
	}
	return answers.Unavailable("Projects can't be reached right now.", retrySoon, err)
}
