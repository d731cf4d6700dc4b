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
					fmt.Fprintln(c.OutOrStdout(), projectText(project))
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

// projectText is a project in one line.
func projectText(p api.Project) string {
	return fmt.Sprintf("%s  %s  %s", p.ID, p.CreatedAt.Local().Format(minutes), printable(p.Name))
}

// minutes is how lists write a time, in the local zone.
const minutes = "2006-01-02 15:04"

func projectsGetCommand() *cobra.Command {
	o := &clientOptions{}
	c := &cobra.Command{
		Use:               "get PROJECT",
		Short:             "Show a project",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeProjects(o),
		RunE: func(c *cobra.Command, args []string) error {
			return o.call(c, func(ctx context.Context, service *client.Client) error {
				project, err := service.Project(ctx, args[0])
				if err != nil {
					return err
				}
				text := projectText(project)
				if project.Description != "" {
					text += "\n" + printable(project.Description)
				}
				return o.print(c.OutOrStdout(), project, text)
			})
		},
	}
	o.register(c)
	return c
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
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeProjects(o),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkProject(args[0]); err != nil {
				return &codedError{exitUsage, err}
			}
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
