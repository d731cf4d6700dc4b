package studio

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// unsettled returns the jobs that have not ended in the order of their turns: the one that
// runs first. An engine that is not ready says nothing of it; then the oldest is first.
func (p projectPage) unsettled() []sidecar.Job {
	turns := append([]string{p.Workspace.Running}, p.Workspace.Queued...)
	var out []sidecar.Job
	for _, job := range slices.Backward(p.Jobs) {
		if !job.Settled {
			out = append(out, job)
		}
	}
	place := func(job sidecar.Job) int {
		if i := slices.Index(turns, job.JobID); i >= 0 {
			return i
		}
		return len(turns)
	}
	slices.SortStableFunc(out, func(a, b sidecar.Job) int { return place(a) - place(b) })
	return out
}

// Active returns the job that runs or comes next, nil for none.
func (p projectPage) Active() *sidecar.Job {
	if list := p.unsettled(); len(list) > 0 {
		return &list[0]
	}
	return nil
}

// Waiting returns the jobs that come after the active one, in their order.
func (p projectPage) Waiting() []sidecar.Job {
	list := p.unsettled()
	return list[min(1, len(list)):]
}

// Queue is the order of the waiting jobs that the page shows.
func (p projectPage) Queue() string { return strings.Join(p.Workspace.Queued, ",") }

// First reports whether a job is the next one of the queue, or not in it.
func (p projectPage) First(job string) bool { return slices.Index(p.Workspace.Queued, job) <= 0 }

// Last reports whether a job is the last one of the queue, or not in it.
func (p projectPage) Last(job string) bool {
	i := slices.Index(p.Workspace.Queued, job)
	return i < 0 || i == len(p.Workspace.Queued)-1
}

// reorder moves a waiting job by one place in the queue that the page showed. The engine
// refuses it when other jobs wait by now.
func (s *Studio) reorder(x *exchange) error {
	if err := s.may(x, x.project(), policy.ActionStudioWrite); err != nil {
		return err
	}
	if err := parse(x.r); err != nil {
		return err
	}
	queue, err := moved(x.r.PostFormValue("queue"), x.r.PostFormValue("job"), x.r.PostFormValue("move"))
	if err != nil {
		return err
	}
	body, err := json.Marshal(contract.Queue{Jobs: queue})
	if err != nil {
		return err
	}
	a, err := s.ask(x.r.Context(), x.owner(), call{method: http.MethodPost, path: contract.PathQueue, body: body})
	if err == nil {
		err = a.refused()
	}
	switch {
	case err != nil && !x.json():
		return s.showRefused(x, "The order is as it was: ", err)
	case err != nil:
		return err
	case x.json():
		return pass(x, a)
	}
	return x.redirect(x.at("?done=moved#chat"))
}

// moved returns a queue of which one job is a place further to its begin ("sooner") or end
// ("later").
func moved(queue, job, move string) ([]string, error) {
	ids := strings.Split(queue, ",")
	i := slices.Index(ids, job)
	j := i + map[string]int{"sooner": -1, "later": 1}[move]
	if len(ids) > contract.MaxQueued || !api.ValidJobID(job) || i < 0 || j == i || j < 0 || j >= len(ids) {
		return nil, answers.BadRequest("queue must be the waiting jobs, job one of them, and move sooner or later.")
	}
	ids[i], ids[j] = ids[j], ids[i]
	return ids, nil
}
