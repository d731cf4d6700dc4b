package ledger

import (
	"context"
	"fmt"

	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
)

// pageOfJobs bounds a sidecar.JobPage.
const pageOfJobs = 50

// ProjectJobs returns the jobs of a project, newest first, before the job ""
// for all or the Next of an earlier page. Ids of jobs sort by time.
func (l *Ledger) ProjectJobs(ctx context.Context, projectID, before string) (sidecar.JobPage, error) {
	page := sidecar.JobPage{Jobs: []sidecar.Job{}}
	err := l.store.View(ctx, func(r *store.Reader) error {
		return r.Each(func(scan store.Scan) error {
			if n := len(page.Jobs); n == pageOfJobs { // the row says no more than that there is one
				page.Next = page.Jobs[n-1].JobID
				return nil
			}
			job, _, err := scanJob(scan)
			page.Jobs = append(page.Jobs, job)
			return err
		}, selectJob+`
			WHERE j.project_id = ? AND j.state <> 'released' AND (? = '' OR j.id < ?)
			ORDER BY j.id DESC LIMIT ?`, projectID, before, before, pageOfJobs+1)
	})
	if err != nil {
		return sidecar.JobPage{}, fmt.Errorf("listing the jobs of project %s: %w", projectID, err)
	}
	return page, nil
}
