package gateway

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/requests"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// Page sizes of lists.
const (
	defaultPage = 20
	maxPage     = 100
)

// pageSize returns how many entries a query wants on a page.
func pageSize(query url.Values) (int, *answers.Error) {
	s := query.Get("limit")
	if s == "" {
		return defaultPage, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > maxPage {
		return 0, answers.BadRequest("limit must be a number from 1 to %d.", maxPage)
	}
	return n, nil
}

// listJobs answers GET /v1/generate with the jobs of a project, or of all that the
// key's user owns and may get.
func (l *Locator) listJobs(w http.ResponseWriter, r *http.Request, q *Request) error {
	asked := sidecar.JobQuery{ProjectID: q.ProjectID, UserID: q.UserID}
	query := r.URL.Query()
	limit, refused := pageSize(query)
	if refused != nil {
		return refused
	}
	asked.Limit = limit
	if status := query.Get("status"); status != "" {
		var err error
		if asked.Status, err = requests.ParseJobStatus(status); err != nil {
			return asError(err)
		}
	}
	if asked.Before = query.Get("after"); asked.Before != "" && !api.ValidJobID(asked.Before) {
		return answers.BadRequest("after is not a cursor of this list.")
	}
	page, err := l.Sidecar.Jobs(r.Context(), asked)
	if err != nil {
		return answers.Unavailable("Jobs can't be listed right now.", retrySoon, err)
	}
	if q.ProjectID == "" {
		if page.Jobs, err = l.allowed(r.Context(), q.KeyID, page.Jobs); err != nil {
			return answers.Unavailable("Access can't be checked right now.", retrySoon, err)
		}
	}
	list := api.JobList{Success: true, Data: make([]api.Job, len(page.Jobs)), NextCursor: page.Next}
	for i, job := range page.Jobs {
		list.Data[i] = job.Job
	}
	return writeJSON(w, http.StatusOK, list)
}

// allowed leaves the jobs of those projects that the policy lets the key's user get, as
// Projects.Allowed does of projects: each is decided on once.
func (l *Locator) allowed(ctx context.Context, keyID string, all []sidecar.Job) ([]sidecar.Job, error) {
	may := make(map[string]bool)
	seen := make([]sidecar.Job, 0, len(all))
	for _, job := range all {
		allow, asked := may[job.ProjectID]
		if !asked {
			d, err := l.Sidecar.Decide(ctx, keyID, job.ProjectID, policy.ActionGetProject)
			if err != nil {
				return nil, err
			}
			allow = d.Allow
			may[job.ProjectID] = allow
		}
		if allow {
			seen = append(seen, job)
		}
	}
	return seen, nil
}
