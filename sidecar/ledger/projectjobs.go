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
// user, whose ids are put in order before their rows are read. SQLite leaves a project
// where its next job is older than what the list has already.
const (
	ofProject = "j.project_id = ?"
	ofUser    = "p.owner_id = ?"
	listed    = " AND j.state <> 'released' AND (? = '' OR j.status = ?) AND j.id < ? ORDER BY j.id DESC LIMIT ?"

	selectJobs     = selectJob + " WHERE " + ofProject + listed
	selectUserJobs = selectJob + " WHERE j.id IN (SELECT j.id FROM projects p JOIN jobs j ON j.project_id = p.id WHERE " +
		ofUser + listed + ") ORDER BY j.id DESC"
)

// Jobs implements sidecar.Service. Ids of jobs sort by time. Decisions do not wait for
// a connection that a list has.
func (l *Ledger) Jobs(ctx context.Context, q sidecar.JobQuery) (sidecar.JobPage, error) {
	page := sidecar.JobPage{Jobs: []sidecar.Job{}}
	query, whose := selectJobs, q.ProjectID
	if q.ProjectID == "" {
		query, whose = selectUserJobs, q.UserID
	}
	err := l.store.View(store.Unhurried(ctx), func(r *store.Reader) error {
		return r.Each(func(scan store.Scan) error {
			if n := len(page.Jobs); n == q.Limit { // the row says no more than that there is one
				page.Next = page.Jobs[n-1].JobID
				return nil
			}
			job, _, err := scanJob(scan)
			page.Jobs = append(page.Jobs, job)
			return err
		}, query, whose, string(q.Status), string(q.Status), cmp.Or(q.Before, afterAll), q.Limit+1)
	})
	if err != nil {
		return sidecar.JobPage{}, fmt.Errorf("listing the jobs of %s: %w", whose, err)
	}
	return page, nil
}
