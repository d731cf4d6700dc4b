package commands

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/client"
)

func projectsCommand() *cobra.Command {
	return group("projects", "Create, list and delete projects",
		projectsListCommand(), projectsCreateCommand(), projectsGetCommand(), projectsDeleteCommand())
}

func projectsListCommand() *cobra.Command {
	return callCommand(new(clientOptions), "list", "List your projects, newest first", cobra.NoArgs,
		func(ctx context.Context, service *client.Client, _ []string) ([]api.Project, error) {
			return all(service.Projects(ctx))
		},
		func(c *cobra.Command, projects []api.Project) {
			for _, project := range projects {
				fmt.Fprintln(c.OutOrStdout(), projectText(project))
			}
		})
}

func projectsCreateCommand() *cobra.Command {
	var description string
	c := callCommand(new(clientOptions), "create NAME", "Create a project and print its id", cobra.ExactArgs(1),
		func(ctx context.Context, service *client.Client, args []string) (api.ProjectCreatedRef, error) {
			return service.CreateProject(ctx, api.ProjectRequest{Name: args[0], Description: description})
		}, func(c *cobra.Command, project api.ProjectCreatedRef) { fmt.Fprintln(c.OutOrStdout(), project.ID) })
	c.Flags().StringVar(&description, "description", "", "what the project is about")
	return c
}

// projectText is a project in one line.
func projectText(p api.Project) string {
	return fmt.Sprintf("%s  %s  %s", p.ID, p.CreatedAt.Local().Format(minutes), printable(p.Name))
}

// minutes is how lists write a time, in the local zone.
const minutes = "2006-01-02 15:04"

func projectsGetCommand() *cobra.Command {
	return readCommand(new(clientOptions), "get", "Show a project", (*client.Client).Project, func(c *cobra.Command, project api.Project) {
		fmt.Fprintln(c.OutOrStdout(), projectText(project))
		if project.Description != "" {
			fmt.Fprintln(c.OutOrStdout(), printable(project.Description))
		}
	})
}

// oneProject is of commands whose argument is a project.
var oneProject = projectFirst(cobra.ExactArgs(1))

// projectFirst is of commands whose first argument is a project: what is none is not sent.
func projectFirst(all cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := all(c, args); err != nil {
			return err
		}
		return checkProject(args[0])
	}
}

// checkGiven is checkProject of an id that may be left out.
func checkGiven(id string) error {
	if id == "" {
		return nil
	}
	return checkProject(id)
}

func checkProject(id string) error {
	if !api.ValidProjectID(id) {
		return misused("%q is not a project id: want 24 lower-case hexadecimal characters", id)
	}
	return nil
}

func projectsDeleteCommand() *cobra.Command {
	o := &clientOptions{}
	var yes bool
	c := &cobra.Command{
		Use:   "delete PROJECT",
		Short: "Delete a project with its jobs, versions and published game",
		Long: `Delete removes a project and everything that belongs to it, for good. It asks first
unless --yes is given. A project with an unfinished job is refused: cancel the job
first.`,
		Args:              oneProject,
		ValidArgsFunction: completeProjects(o),
		RunE: func(c *cobra.Command, args []string) error {
			return o.call(c, func(ctx context.Context, service *client.Client) error {
				project, err := service.Project(ctx, args[0])
				if err != nil {
					return err
				}
				fmt.Fprintln(c.ErrOrStderr(), projectText(project))
				if !yes && !confirmed(c, "delete") {
					return errors.New("nothing was deleted: answer y, or give --yes")
				}
				if err := service.DeleteProject(ctx, args[0]); err != nil {
					return err
				}
				return o.print(c.OutOrStdout(), project, args[0])
			})
		},
	}
	o.register(c)
	c.Flags().BoolVar(&yes, "yes", false, "delete without asking")
	return c
}
