package commands

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/client"
)

// mostCompleted is how many ids a shell is given, the newest ones.
const mostCompleted = 50

// completeFlag completes the values of a flag.
func completeFlag(c *cobra.Command, flag string, by cobra.CompletionFunc) {
	if err := c.RegisterFlagCompletionFunc(flag, by); err != nil {
		panic(err) // the flag is not there, or has one
	}
}

// completeProjects completes the id of a project, with its name beside it.
func completeProjects(o *clientOptions) cobra.CompletionFunc {
	return o.complete(func(ctx context.Context, service *client.Client, add func(id, what string) bool) {
		for project, err := range service.Projects(ctx) {
			if err != nil || !add(project.ID, project.Name) {
				return
			}
		}
	})
}

// completeJobs completes the id of a job, with its state beside it.
func completeJobs(o *clientOptions) cobra.CompletionFunc {
	return o.complete(func(ctx context.Context, service *client.Client, add func(id, what string) bool) {
		for job, err := range service.Jobs(ctx, client.JobQuery{}) {
			if err != nil || !add(job.JobID, string(job.Status)) {
				return
			}
		}
	})
}

// complete asks the service for what an argument or a flag may be, in silence: a shell
// completes. Only the first argument is an id.
func (o *clientOptions) complete(ask func(ctx context.Context, service *client.Client, add func(id, what string) bool)) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		const none = cobra.ShellCompDirectiveNoFileComp
		if len(args) > 0 && c.ValidArgsFunction != nil {
			return nil, none
		}
		ctx, cancel := context.WithTimeout(c.Context(), completionTimeout)
		defer cancel()
		service, err := o.client((&plainDisplay{w: io.Discard, now: time.Now}).wait)
		if err != nil {
			return nil, none
		}
		var found []string
		ask(ctx, service, func(id, what string) bool {
			if what != "" {
				id = cobra.CompletionWithDesc(id, printable(what))
			}
			found = append(found, id)
			return len(found) < mostCompleted
		})
		return found, none
	}
}
