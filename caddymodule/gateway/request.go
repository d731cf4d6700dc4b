package gateway

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// HeaderPolicyRule tells a client the policy's rule that decided, where the
// configuration exposes it.
const HeaderPolicyRule = "Svc-Policy-Rule"

// Request is what the chain has learned about a request so far. svc_auth
// makes it; each module after it fills in its part and reads the others'.
type Request struct {
	// by svc_auth
	KeyID  string
	UserID string

	// by svc_access
	Route       Route
	ProjectID   string // "" for the list of projects and the creation of one
	Project     api.ProjectRequest
	Publish     api.PublishRequest
	PlayChange  api.PlayChange
	KeepKey     time.Duration // the game's key that is to be replaced
	Experiment  api.ExperimentChange
	Board       api.BoardRules
	Webhook     api.WebhookRequest
	DeliveryID  string // that is to be replayed
	Body        []byte // of a submission, checked, without its webhook
	JobWebhook  *api.WebhookRequest
	model       string // that it names, "" for none
	share       *Share // what the body takes of the room for bodies; nil without one
	Fingerprint string // SHA-256 of the body, hexadecimal, of what may have an Idempotency-Key
	Job         *sidecar.Job
	Decision    policy.Decision

	IdempotencyKey string       // "" when the client sent none
	Replay         *sidecar.Job // of an earlier submission with that key

	// by svc_engine
	Lease *engineproxy.Lease

	// by svc_quota
	Admitted string // the job that the submission became; "" until it counts
}

// JobID returns the job that the request names, made or repeats, "" for none.
func (q *Request) JobID() string {
	switch {
	case q.Replay != nil:
		return q.Replay.JobID
	case q.Admitted != "":
		return q.Admitted
	}
	return q.Route.JobID
}

// Owner returns the project as the engine proxy wants to know it: the policy may let
// others than its owner through.
func (q *Request) Owner() engineproxy.Project {
	return engineproxy.Project{ID: q.ProjectID, OwnerID: cmp.Or(q.Decision.OwnerID, q.UserID)}
}

// releaseBody gives back what the body takes of the room for bodies, where there is one.
func (q *Request) releaseBody() {
	if q.share != nil {
		q.share.Release()
	}
}

type requestKey struct{}

// WithRequest returns r with q in its context.
func WithRequest(r *http.Request, q *Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), requestKey{}, q))
}

// RequestOf returns what the chain knows about r; nil before svc_auth.
func RequestOf(r *http.Request) *Request {
	q, _ := r.Context().Value(requestKey{}).(*Request)
	return q
}

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
func MatchRoute(method, path string) (Route, *answers.Error) {
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
	partPublish     = "publish"
	partSettings    = "publish/settings"
	partKey         = "publish/key"
	partExperiments = "experiments"
	partBoard       = "board"
	partView        = "analytics/" // and the name of one
	partWebhook     = "webhook"
	partSecret      = "webhook/secret"
	partDeliveries  = "webhook/deliveries"
	partReplay      = "webhook/replay"
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
		partSettings: {
			http.MethodGet:  policy.ActionGetProject,
			http.MethodPost: policy.ActionPublish,
		},
		partKey: {http.MethodPost: policy.ActionPublish},
		partExperiments: {
			http.MethodGet:  policy.ActionAnalytics,
			http.MethodPost: policy.ActionPublish,
		},
		partBoard: {
			http.MethodGet:  policy.ActionAnalytics,
			http.MethodPost: policy.ActionPublish,
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

func notFound() *answers.Error {
	return &answers.Error{Status: http.StatusNotFound, Message: "There is nothing at this address."}
}

func methodNotAllowed(methods actions) *answers.Error {
	var allow []string
	for _, m := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete} {
		_, ok := methods[m]
		if _, get := methods[http.MethodGet]; ok || m == http.MethodHead && get {
			allow = append(allow, m)
		}
	}
	return &answers.Error{
		Status:  http.StatusMethodNotAllowed,
		Message: "This address does not know the method.",
		Header:  http.Header{"Allow": {strings.Join(allow, ", ")}},
	}
}

// maxRoutes bounds the route table, in jobs.
const maxRoutes = 100_000

// Routes is the route table: which project a job belongs to, recorded at its
// submission. It starts empty, forgets what was not asked for longest, and is never
// wrong, because a job keeps its project; what it doesn't know is in the job's
// row. It is safe for concurrent use.
type Routes struct {
	projects *lru.Cache[string, string]
}

// NewRoutes returns an empty table.
func NewRoutes() *Routes {
	projects, err := lru.New[string, string](maxRoutes)
	if err != nil {
		panic(err) // of a size that is not positive
	}
	return &Routes{projects}
}

// Record notes a job's project.
func (t *Routes) Record(jobID, projectID string) { t.projects.ContainsOrAdd(jobID, projectID) }

// Project returns the project of a job, "" when it is not in the table.
func (t *Routes) Project(jobID string) string {
	projectID, _ := t.projects.Get(jobID)
	return projectID
}
