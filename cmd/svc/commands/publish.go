package commands

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/client"
)

func publishCommand() *cobra.Command {
	o := &jobOptions{}
	return jobCommand("publish", "Publish a completed job's game and print its address", o, func(c *cobra.Command, job client.Job) error {
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
		Args:  oneProject,

		ValidArgsFunction: completeProjects(o),
		RunE: func(c *cobra.Command, args []string) error {
			return o.call(c, func(ctx context.Context, service *client.Client) error { return run(ctx, c, service, args[0]) })
		},
	}
	o.register(c)
	return c
}

func unpublishCommand() *cobra.Command {
	o := &clientOptions{}
	return ofProjectCommand("unpublish", "Unpublish a project's game", o,
		func(ctx context.Context, _ *cobra.Command, service *client.Client, project string) error {
			return service.Unpublish(ctx, project)
		})
}

func ownGameCommand() *cobra.Command {
	return group("game", "Change the settings and the key of a published game",
		gameSettingsCommand(), gameRotateKeyCommand())
}

func gameSettingsCommand() *cobra.Command {
	var origins []string
	var most string
	var ask bool
	var c *cobra.Command
	c = readCommand(new(clientOptions), "settings", "Show a game's settings, or change the ones that are given",
		func(service *client.Client, ctx context.Context, project string) (found api.PlaySettings, err error) {
			var change api.PlayChange
			if c.Flags().Changed("origins") {
				change.Origins = &origins
			}
			if c.Flags().Changed("tik-per-month") {
				amount, err := api.ParseTIK(most)
				if err != nil {
					return found, &codedError{exitUsage, err}
				}
				change.TIKPerMonth = &amount
			}
			if c.Flags().Changed("ask-consent") {
				change.AskConsent = &ask
			}
			if change == (api.PlayChange{}) {
				return service.PlaySettings(ctx, project)
			}
			return service.SetPlaySettings(ctx, project, change)
		}, func(c *cobra.Command, found api.PlaySettings) { printPlaySettings(c.OutOrStdout(), found) })
	f := c.Flags()
	f.StringSliceVar(&origins, "origins", nil, "`ORIGINS` of pages that may embed the game and report for it, like https://example.com; empty for all")
	f.StringVar(&most, "tik-per-month", "", "limit of `TIK` that the game may cost in a month")
	f.BoolVar(&ask, "ask-consent", false, "ask players for consent on the game's page before they get a name")
	return c
}

func printPlaySettings(w io.Writer, s api.PlaySettings) {
	origins := "all pages"
	if len(s.Origins) > 0 {
		origins = strings.Join(s.Origins, " ")
	}
	fmt.Fprintf(w, "reports: %s\nTIK per month: %s\nasks for consent: %t\n", printable(origins), s.TIKPerMonth, s.AskConsent)
	if s.FormerKeysUntil != nil {
		fmt.Fprintf(w, "former keys until: %s\n", s.FormerKeysUntil.Local().Format("2006-01-02 15:04:05"))
	}
}

func gameRotateKeyCommand() *cobra.Command {
	days := api.DefaultKeepDays
	c := readCommand(new(clientOptions), "rotate-key", "Give the game another key and print it",
		func(service *client.Client, ctx context.Context, project string) (api.Publication, error) {
			return service.RotatePlayKey(ctx, project, days)
		}, func(c *cobra.Command, made api.Publication) { fmt.Fprintln(c.OutOrStdout(), printable(made.Key)) })
	c.Flags().IntVar(&days, "keep-days", days, fmt.Sprintf("`DAYS` that earlier keys stay valid, 0 to %d", api.MaxKeepDays))
	return c
}
