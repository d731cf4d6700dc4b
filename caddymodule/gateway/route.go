package gateway

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/dgraph-io/ristretto/v2"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
)

// Route is what a method and path under /v1 ask for.
type Route struct {
	Action    policy.Action
	JobID     string // of a job route
	ProjectID string // of /v1/projects/{id}
	Part      string // of the project, like "publish", "" for all of it
}

// OfProjects reports whether the route is one of /v1/projects.
func (r Route) OfProjects() bool {
	switch r.Action {
	case policy.ActionCreateProject, policy.ActionListProjects, policy.ActionGetProject, policy.ActionDeleteProject,
		policy.ActionPublish, policy.ActionUnpublish, policy.ActionAnalytics, policy.ActionReadWebhooks, policy.ActionWriteWebhooks:
		return true
	}
	return false
}

// MatchRoute returns the route of a request, or the 404 or 405 it deserves.
// It reads the path as it was sent: no decoding, no cleaning, so that two
// readers can't disagree about it.
func MatchRoute(method, path string) (Route, *api.Error) {
	rest, ok := strings.CutPrefix(path, "/v1/")
	if !ok {
		return Route{}, notFound()
	}
	parts := strings.Split(rest, "/")
	methods, route := resource(parts)
	if methods == nil {
		return Route{}, notFound()
	}
	action, ok := methods[method]
	if !ok && method == http.MethodHead {
		action, ok = methods[http.MethodGet]
	}
	if !ok {
		return Route{}, methodNotAllowed(methods)
	}
	route.Action = action
	return route, nil
}

type actions map[string]policy.Action

// Parts of a project.
const (
	partPublish    = "publish"
	partView       = "analytics/" // and the name of one
	partWebhook    = "webhook"
	partSecret     = "webhook/secret"
	partDeliveries = "webhook/deliveries"
	partReplay     = "webhook/replay"
)

// What each resource offers.
var (
	projectList = actions{
		http.MethodGet:  policy.ActionListProjects,
		http.MethodPost: policy.ActionCreateProject,
	}
	oneProject = actions{
		http.MethodGet:    policy.ActionGetProject,
		http.MethodDelete: policy.ActionDeleteProject,
	}
	partsOfProject = map[string]actions{
		partPublish: {
			http.MethodGet:    policy.ActionGetProject,
			http.MethodPost:   policy.ActionPublish,
			http.MethodDelete: policy.ActionUnpublish,
		},
		partWebhook: {
			http.MethodGet:    policy.ActionReadWebhooks,
			http.MethodPost:   policy.ActionWriteWebhooks,
			http.MethodDelete: policy.ActionWriteWebhooks,
		},
		partSecret:     {http.MethodPost: policy.ActionWriteWebhooks},
		partDeliveries: {http.MethodGet: policy.ActionReadWebhooks},
		partReplay:     {http.MethodPost: policy.ActionWriteWebhooks},
	}
	oneView   = actions{http.MethodGet: policy.ActionAnalytics}
	modelList = actions{http.MethodGet: policy.ActionListModels}
	allJobs   = actions{
		http.MethodGet:  policy.ActionListJobs, // of one project where the query names it
		http.MethodPost: policy.ActionGenerate,
	}
	oneJob     = actions{http.MethodDelete: policy.ActionCancel}
	partsOfJob = map[string]actions{
		"status": {http.MethodGet: policy.ActionStatus},
		"events": {http.MethodGet: policy.ActionEvents},
		"files":  {http.MethodGet: policy.ActionFiles},

		"events/token": {http.MethodPost: policy.ActionStreamToken},
	}
)

// resource returns the methods of a path and what the path names.
func resource(parts []string) (actions, Route) {
	switch {
	case len(parts) == 1 && parts[0] == "projects":
		return projectList, Route{}
	case len(parts) == 2 && parts[0] == "projects" && parts[1] != "":
		return oneProject, Route{ProjectID: parts[1]}
	case len(parts) > 2 && parts[0] == "projects" && parts[1] != "":
		part := strings.Join(parts[2:], "/")
		if view, ok := strings.CutPrefix(part, partView); ok && slices.Contains(api.Views(), view) {
			return oneView, Route{ProjectID: parts[1], Part: part}
		}
		return partsOfProject[part], Route{ProjectID: parts[1], Part: part}
	case len(parts) == 1 && parts[0] == "models":
		return modelList, Route{}
	case len(parts) == 1 && parts[0] == "generate":
		return allJobs, Route{}
	case len(parts) == 2 && parts[0] == "generate" && parts[1] != "":
		return oneJob, Route{JobID: parts[1]}
	case len(parts) > 2 && parts[0] == "generate" && parts[1] != "":
		return partsOfJob[strings.Join(parts[2:], "/")], Route{JobID: parts[1]}
	}
	return nil, Route{}
}

func notFound() *api.Error {
	return &api.Error{Status: http.StatusNotFound, Message: "There is nothing at this address."}
}

func methodNotAllowed(methods actions) *api.Error {
	var allow []string
	for _, m := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete} {
		_, ok := methods[m]
		if _, get := methods[http.MethodGet]; ok || m == http.MethodHead && get {
			allow = append(allow, m)
		}
	}
	return &api.Error{
		Status:  http.StatusMethodNotAllowed,
		Message: "This address does not know the method.",
		Header:  http.Header{"Allow": {strings.Join(allow, ", ")}},
	}
}

// maxRoutes bounds the route table, in jobs.
const maxRoutes = 100_000

// Routes is the route table: which project a job belongs to, recorded at its
// submission. It starts empty, forgets what is not asked for, and is never
// wrong, because a job keeps its project; what it doesn't know is in the job's
// row. It is safe for concurrent use.
type Routes struct {
	projects *ristretto.Cache[string, string]
}

// NewRoutes returns an empty table. Close ends it.
func NewRoutes() (*Routes, error) {
	c, err := ristretto.NewCache(&ristretto.Config[string, string]{
		NumCounters: 10 * maxRoutes, MaxCost: maxRoutes, BufferItems: 64, IgnoreInternalCost: true,
	})
	if err != nil {
		return nil, fmt.Errorf("making the route table: %w", err)
	}
	return &Routes{projects: c}, nil
}

// Record notes a job's project. What is known already is not written again:
// each poll comes here.
func (t *Routes) Record(jobID, projectID string) {
	if t.Project(jobID) != projectID {
		t.projects.Set(jobID, projectID, 1)
	}
}

// Project returns the project of a job, "" when it is not in the table.
func (t *Routes) Project(jobID string) string {
	projectID, _ := t.projects.Get(jobID)
	return projectID
}

// Close ends the table.
func (t *Routes) Close() { t.projects.Close() }
