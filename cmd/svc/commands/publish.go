package commands

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/client"
)

func publishCommand() *cobra.Command {
	o := &jobOptions{}
	return jobCommand("publish", "Have players get a completed job's game, and print its address", o, func(c *cobra.Command, job client.Job) error {
		return o.call(c, func(ctx context.Context, service *client.Client) error {
			if job.ProjectID == "" {
				record, err := service.Status(ctx, job)
				if err != nil {
					return err
				}
				job.ProjectID = record.ProjectID
			}
			made, err := service.Publish(ctx, job.ProjectID, job.ID)
			if err != nil {
				return err
			}
			return o.print(c.OutOrStdout(), made, service.Address(made.Path))
		})
	})
}

// ofProjectCommand makes a command whose argument is a project.
func ofProjectCommand(use, short string, o *clientOptions, run func(ctx context.Context, c *cobra.Command, service *client.Client, project string) error) *cobra.Command {
	c := &cobra.Command{
		Use:   use + " PROJECT",
		Short: short,
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return o.call(c, func(ctx context.Context, service *client.Client) error { return run(ctx, c, service, args[0]) })
		},
	}
	o.register(c)
	return c
}

func unpublishCommand() *cobra.Command {
	o := &clientOptions{}
	return ofProjectCommand("unpublish", "Take a project's published game back", o,
		func(ctx context.Context, _ *cobra.Command, service *client.Client, project string) error {
			return service.Unpublish(ctx, project)
		})
}
