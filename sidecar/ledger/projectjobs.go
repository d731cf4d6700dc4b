package ledger

import (
	"context"
	"fmt"

	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
)

// JobPage is a part of a project's jobs, newest first.
type JobPage struct {
	Jobs []sidecar.Job
	// Next asks for the jobs before; "" after the last one.
	Next string
}

// pageOfJobs bounds a JobPage.
const pageOfJobs = 50

// ProjectJobs returns the jobs of a project, newest first, before the job ""
// for all or the Next of an earlier page. Ids of jobs sort by time.
func (l *Ledger) ProjectJobs(ctx context.Context, projectID, before string) (JobPage, error) {
	jobs, err := store.Read(ctx, l.store, func(r *store.Reader) ([]sidecar.Job, error) {
		return store.All(r, func(scan store.Scan) (sidecar.Job, error) {
			job, _, err := scanJob(scan)
			return job, err
		}, selectJob+`
			WHERE j.project_id = ? AND j.state <> 'released' AND (? = '' OR j.id < ?)
			ORDER BY j.id DESC LIMIT ?`, projectID, before, before, pageOfJobs+1)
	})
	if err != nil {
		return JobPage{}, fmt.Errorf("listing the jobs of project %s: %w", projectID, err)
	}
	if len(jobs) <= pageOfJobs {
		return JobPage{Jobs: jobs}, nil
	}
	return JobPage{Jobs: jobs[:pageOfJobs], Next: jobs[pageOfJobs-1].JobID}, nil
}
