package ledger

import (
	"cmp"
	"context"
	"fmt"

	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
)

// pageOfJobs bounds a page of ProjectJobs.
const pageOfJobs = 50

// ProjectJobs returns the jobs of a project, newest first, before the job ""
// for all or the Next of an earlier page.
func (l *Ledger) ProjectJobs(ctx context.Context, projectID, before string) (sidecar.JobPage, error) {
	return l.Jobs(ctx, sidecar.JobQuery{ProjectID: projectID, Before: before, Limit: pageOfJobs})
}

// afterAll comes after the ids of all jobs, in the order of every database.
const afterAll = "zzzz"

// Of a list of jobs: those of a project, which jobs_listed has in order, or those of a
// user, of whose projects each gives its newest ones, as many as the list has: their ids
// are put in order before their rows are read.
const (
	listed     = " AND j.state <> 'released' AND (? = '' OR j.status = ?) AND j.id < ? ORDER BY j.id DESC LIMIT ?"
	selectJobs = selectJob + " WHERE j.project_id = ?" + listed

	selectUserJobs = selectJob + ` WHERE j.id IN (SELECT j.id FROM projects p JOIN jobs j ON j.project_id = p.id
			AND j.id >= coalesce((SELECT o.id FROM jobs o WHERE o.project_id = p.id
				AND o.state <> 'released' AND (? = '' OR o.status = ?) AND o.id < ? ORDER BY o.id DESC LIMIT 1 OFFSET ?), '')
		WHERE p.owner_id = ?` + listed + `) ORDER BY j.id DESC`
)

// listing returns the query of a list, with one job more, and its arguments.
func listing(q sidecar.JobQuery) (query string, args []any) {
	status, before := string(q.Status), cmp.Or(q.Before, afterAll)
	page := []any{status, status, before, q.Limit + 1}
	if q.ProjectID != "" {
		return selectJobs, append([]any{q.ProjectID}, page...)
	}
	return selectUserJobs, append([]any{status, status, before, q.Limit, q.UserID}, page...)
}

// Jobs implements sidecar.Service. Ids of jobs sort by time. Decisions do not wait for
// a connection that a list has.
func (l *Ledger) Jobs(ctx context.Context, q sidecar.JobQuery) (sidecar.JobPage, error) {
	page := sidecar.JobPage{Jobs: []sidecar.Job{}}
	query, args := listing(q)
	err := l.store.View(store.Unhurried(ctx), func(r *store.Reader) error {
		return r.Each(func(scan store.Scan) error {
			if n := len(page.Jobs); n == q.Limit { // the row says no more than that there is one
				page.Next = page.Jobs[n-1].JobID
				return nil
			}
			job, _, err := scanJob(scan)
			page.Jobs = append(page.Jobs, job)
			return err
		}, query, args...)
	})
	if err != nil {
		return sidecar.JobPage{}, fmt.Errorf("listing the jobs of %s: %w", cmp.Or(q.ProjectID, q.UserID), err)
	}
	return page, nil
}
