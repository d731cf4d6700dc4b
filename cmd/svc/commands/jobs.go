package commands

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/requests"
	"github.com/svc-games/svc/client"
)

// usualJobs is how many jobs svc jobs lists.
const usualJobs = 20

func jobsCommand() *cobra.Command {
	o := &clientOptions{}
	var query client.JobQuery
	var status string
	var most int
	c := &cobra.Command{
		Use:   "jobs",
		Short: "List jobs, newest first",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if status != "" {
				var err error
				if query.Status, err = requests.ParseJobStatus(status); err != nil {
					return &codedError{exitUsage, err}
				}
			}
			if err := checkGiven(query.ProjectID); err != nil {
				return err
			}
			if most < 1 {
				return misused("--limit must be at least 1")
			}
			return o.call(c, func(ctx context.Context, service *client.Client) error {
				jobs, err := firstJobs(ctx, service, query, most)
				if err != nil {
					return err
				}
				if o.json {
					return printJSON(c.OutOrStdout(), jobs)
				}
				for _, job := range jobs {
					fmt.Fprintf(c.OutOrStdout(), "%s  %s  %s  %s  %s TIK\n",
						job.JobID, job.ProjectID, job.CreatedAt.Local().Format(minutes), job.Status, job.TIKSpent)
				}
				return nil
			})
		},
	}
	o.register(c)
	c.Flags().StringVarP(&query.ProjectID, "project", "p", "", "only jobs of this `PROJECT`")
	c.Flags().StringVar(&status, "status", "", "only jobs with this `STATUS`: queued, running, completed, failed or cancelled")
	c.Flags().IntVarP(&most, "limit", "n", usualJobs, "how many jobs at most")
	completeFlag(c, "project", completeProjects(o))
	completeFlag(c, "status", cobra.FixedCompletions([]string{
		string(api.JobQueued), string(api.JobRunning), string(api.JobCompleted), string(api.JobFailed), string(api.JobCancelled),
	}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// firstJobs returns the newest jobs, not nil.
func firstJobs(ctx context.Context, service *client.Client, of client.JobQuery, most int) ([]api.Job, error) {
	jobs := []api.Job{}
	for job, err := range service.Jobs(ctx, of) {
		if err != nil {
			return nil, err
		}
		if jobs = append(jobs, job); len(jobs) == most {
			break
		}
	}
	return jobs, nil
}
