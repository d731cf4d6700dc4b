package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/requests"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/sidecar"
)

// Access finds out which project and job a request names, and whether its key
// may use them.
type Access struct {
	Sidecar sidecar.Service
	Routes  *Routes
	Models  *Models                                    // that a submission may name; nil for any
	MaxBody int64                                      // bytes; 0 means DefaultMaxBody
	Bodies  *Bodies                                    // has the room that a body needs; nil for no bound
	Decided func(http.ResponseWriter, policy.Decision) // is told before the answer; nil: no one is
}

// Serve passes the request on when its key may send it, and answers a submission
// that was made before with the job that it made. Its error is an *answers.Error, or
// what next returned.
func (a *Access) Serve(w http.ResponseWriter, r *http.Request, q *Request, next Next) error {
	defer q.releaseBody() // not before the engine has it
	refused := a.check(w, r, q)
	if a.Decided != nil {
		a.Decided(w, q.Decision)
	}
	switch {
	case refused != nil:
		return refused
	case q.Replay != nil:
		return writeReplay(w, q.Replay)
	}
	return next(w, r)
}

// check fills q from r, or returns the refusal: in this order 404 and 405,
// 413 and 415, 400, then what the policy says (403), the 400 of a model that is not
// there, the 429, then the 404 of an unknown job. A submission that was made before
// is found instead of the last 400 and of the 429.
func (a *Access) check(w http.ResponseWriter, r *http.Request, q *Request) *answers.Error {
	route, refused := MatchRoute(r.Method, r.URL.EscapedPath())
	if refused != nil {
		return refused
	}
	q.Route = route
	if refused := a.read(w, r, q); refused != nil {
		return refused
	}
	if q.Route.JobID != "" && q.ProjectID == "" {
		q.ProjectID = a.Routes.Project(q.Route.JobID)
	}
	if q.Route.JobID != "" && q.ProjectID == "" {
		if refused := a.findJob(r, q); refused != nil {
			return refused
		}
	}
	d, err := a.Sidecar.Decide(r.Context(), q.KeyID, q.ProjectID, q.Route.Action)
	if err != nil {
		return answers.Unavailable("Access can't be checked right now.", retrySoon, err)
	}
	q.Decision = d
	if d.Status == http.StatusTooManyRequests || d.Allow {
		if refused := a.findReplay(r, q); refused != nil {
			return refused
		}
		if q.Replay == nil && q.model != "" {
			if refused := a.Models.check(r.Context(), q.model); refused != nil {
				return refused
			}
		}
	}
	if !d.Allow && q.Replay == nil {
		return refusal(d)
	}
	if q.JobWebhook != nil && q.Replay == nil {
		return a.mayPost(r, q)
	}
	if q.Route.JobID != "" && q.Job == nil {
		return a.findJob(r, q)
	}
	return nil
}

// mayPost refuses a submission's webhook before any engine starts: it takes what setting
// the project's takes, and that there is one, whose secret signs.
func (a *Access) mayPost(r *http.Request, q *Request) *answers.Error {
	d, err := a.Sidecar.Decide(r.Context(), q.KeyID, q.ProjectID, policy.ActionWriteWebhooks)
	if err != nil {
		return answers.Unavailable("Access can't be checked right now.", retrySoon, err)
	}
	if !d.Allow {
		return refusal(d)
	}
	if err := a.Sidecar.CheckJobWebhook(r.Context(), q.ProjectID, *q.JobWebhook); err != nil {
		if refused, ok := errors.AsType[*answers.Error](err); ok {
			return refused
		}
		return answers.Unavailable("The webhook can't be checked right now.", retrySoon, err)
	}
	return nil
}

// findReplay looks for the job that an earlier submission with the same
// Idempotency-Key made. It comes before the 429 and before any engine starts:
// a replay is free.
func (a *Access) findReplay(r *http.Request, q *Request) *answers.Error {
	if q.IdempotencyKey == "" || q.Route.Action != policy.ActionGenerate {
		return nil
	}
	job, err := a.Sidecar.Replay(r.Context(), q.KeyID, q.IdempotencyKey, q.Fingerprint)
	if err != nil {
		return admissionError(err)
	}
	q.Replay = job
	if job != nil && !q.Decision.Allow { // the limit is not what is answered
		q.Decision = policy.Decision{Allow: true, Status: http.StatusOK, Rule: decisionlog.ReplayRule, Reads: q.Decision.Reads}
	}
	return nil
}

// takeIdempotencyKey reads the Idempotency-Key of what makes a job or a project, where
// there is one.
func (q *Request) takeIdempotencyKey(h http.Header) *answers.Error {
	keys, sent := h["Idempotency-Key"]
	if !sent || q.Route.Action != policy.ActionGenerate && q.Route.Action != policy.ActionCreateProject {
		return nil
	}
	if len(keys) > 1 || !validIdempotencyKey(keys[0]) {
		return answers.BadRequest("Idempotency-Key must be one value of 1 to %d visible ASCII characters.", maxIdempotencyKey)
	}
	q.IdempotencyKey = keys[0]
	return nil
}

// maxIdempotencyKey is the most characters an Idempotency-Key may have.
const maxIdempotencyKey = 255

func validIdempotencyKey(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return s != "" && len(s) <= maxIdempotencyKey
}

// read takes what the request says of itself: body, query and path.
func (a *Access) read(w http.ResponseWriter, r *http.Request, q *Request) *answers.Error {
	action := q.Route.Action
	if action == policy.ActionWriteWebhooks && (r.Method != http.MethodPost || q.Route.Part == partSecret) {
		action = policy.ActionReadWebhooks // which has no body either
	}
	switch action {
	case policy.ActionCreateProject, policy.ActionGenerate, policy.ActionPublish, policy.ActionWriteWebhooks:
		limit := a.MaxBody
		if limit <= 0 {
			limit = DefaultMaxBody
		}
		if q.share == nil { // else there is a second svc_access, and one share of both
			q.share = a.Bodies.Share(q.UserID)
		}
		body, refused := readBody(w, r, limit, q.share)
		if refused != nil {
			return refused
		}
		if refused := q.parse(body); refused != nil {
			return refused
		}
		return q.takeIdempotencyKey(r.Header)
	case policy.ActionGetProject, policy.ActionDeleteProject, policy.ActionUnpublish, policy.ActionAnalytics, policy.ActionReadWebhooks:
		return q.takeProject(q.Route.ProjectID)
	case policy.ActionListProjects, policy.ActionListModels:
		return nil
	}
	id, given := projectID(r.URL)
	switch given {
	case 0:
		return nil
	case 1:
		if q.Route.Action == policy.ActionListJobs {
			q.Route.Action = policy.ActionProjectJobs
		}
		return q.takeProject(id)
	}
	return answers.BadRequest("projectId is given twice.")
}

// takeProject names the request's project. What is no project's id, a key by mistake say,
// is named nowhere.
func (q *Request) takeProject(id string) *answers.Error {
	if !api.ValidProjectID(id) {
		return requests.BadProjectID(id)
	}
	q.ProjectID = id
	return nil
}

// projectID returns the first projectId of the query, and how many there are.
// The query of a poll has nothing else and nothing escaped, and is not taken
// apart.
func projectID(u *url.URL) (id string, given int) {
	id, ok := strings.CutPrefix(u.RawQuery, "projectId=")
	if ok && !strings.ContainsAny(id, "&;%+") {
		return id, 1
	}
	all := u.Query()["projectId"]
	if len(all) == 0 {
		return "", 0
	}
	return all[0], len(all)
}

func (q *Request) parse(body []byte) *answers.Error {
	switch q.Route.Action {
	case policy.ActionCreateProject:
		req, err := requests.ParseProjectRequest(body)
		q.Project, q.Fingerprint = req, fingerprint(body)
		return asError(err)
	case policy.ActionPublish, policy.ActionWriteWebhooks:
		if refused := q.takeProject(q.Route.ProjectID); refused != nil {
			return refused
		}
		var err error
		switch {
		case q.Route.Part == partWebhook:
			q.Webhook, err = requests.ParseWebhookRequest(body)
		case q.Route.Part == partReplay:
			q.DeliveryID, err = requests.ParseReplayRequest(body)
		case q.Route.Part == partSettings:
			q.PlayChange, err = requests.ParsePlayChange(body)
		case q.Route.Part == partKey:
			q.KeepKey, err = requests.ParseRotateRequest(body)
		case q.Route.Part == partExperiments:
			q.Experiment, err = requests.ParseExperimentChange(body)
		case q.Route.Part == partBoard:
			q.Board, err = requests.ParseBoardRules(body)
		default:
			q.Publish, err = requests.ParsePublishRequest(body)
		}
		return asError(err)
	}
	req, err := requests.ParseGenerateRequest(body)
	if err == nil && len(req.Skills) > 0 {
		err = contract.CheckSkills(req.Skills) // as the engine will, which need not start for it
	}
	if err != nil {
		return asError(err)
	}
	q.Fingerprint = fingerprint(body)
	if q.JobWebhook = req.Webhook; req.Webhook != nil {
		if body, err = requests.WithoutWebhook(body); err != nil {
			return answers.BadRequest("The body is not valid JSON.")
		}
	}
	q.ProjectID, q.model, q.Body = req.ProjectID, req.Settings.Model, body
	return nil
}

// fingerprint is the SHA-256 of a body.
func fingerprint(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// findJob looks the job up; without a projectId, and without a route, the job's
// row says to which project it belongs.
func (a *Access) findJob(r *http.Request, q *Request) *answers.Error {
	if !api.ValidJobID(q.Route.JobID) {
		return unknownJob()
	}
	job, err := a.Sidecar.Job(r.Context(), q.Route.JobID)
	switch {
	case errors.Is(err, sidecar.ErrUnknownJob):
		return unknownJob()
	case err != nil:
		return answers.Unavailable("The job can't be looked up right now.", retrySoon, err)
	case q.ProjectID != "" && job.ProjectID != q.ProjectID:
		return unknownJob()
	}
	q.ProjectID, q.Job = job.ProjectID, &job
	a.Routes.Record(job.JobID, job.ProjectID)
	return nil
}

func unknownJob() *answers.Error {
	return &answers.Error{Status: http.StatusNotFound, Message: "There is no such job in this project."}
}

// asError returns err as the *answers.Error that the readers of package requests
// promise.
func asError(err error) *answers.Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*answers.Error](err); ok {
		return e
	}
	return &answers.Error{Status: http.StatusInternalServerError, Message: "Internal error.", Cause: err}
}
