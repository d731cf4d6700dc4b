package commands

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/client"
)

func projectsCommand() *cobra.Command {
	return group("projects", "Create and list projects", projectsListCommand(), projectsCreateCommand())
}

func projectsListCommand() *cobra.Command {
	o := &clientOptions{}
	c := &cobra.Command{
		Use:   "list",
		Short: "List your projects, newest first",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return o.call(c, func(ctx context.Context, service *client.Client) error {
				projects := []api.Project{}
				for project, err := range service.Projects(ctx) {
					if err != nil {
						return err
					}
					projects = append(projects, project)
				}
				if o.json {
					return printJSON(c.OutOrStdout(), projects)
				}
				for _, project := range projects {
					fmt.Fprintf(c.OutOrStdout(), "%s  %s  %s\n", project.ID,
						project.CreatedAt.Local().Format("2006-01-02 15:04"), printable(project.Name))
				}
				return nil
			})
		},
	}
	o.register(c)
	return c
}

func projectsCreateCommand() *cobra.Command {
	o := &clientOptions{}
	var description string
	c := &cobra.Command{
		Use:   "create NAME",
		Short: "Create a project and print its id",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return o.call(c, func(ctx context.Context, service *client.Client) error {
				project, err := service.CreateProject(ctx, api.ProjectRequest{Name: args[0], Description: description})
				if err != nil {
					return err
				}
				return o.print(c.OutOrStdout(), project, project.ID)
			})
		},
	}
	o.register(c)
	c.Flags().StringVar(&description, "description", "", "what the project is about")
	return c
}
