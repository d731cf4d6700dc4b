package commands

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/api"
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
			return o.print(c.OutOrStdout(), made, strings.TrimRight(o.baseURL, "/")+made.Path)
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

func analyticsCommand() *cobra.Command {
	return group("analytics", "Show how a published game is played", analyticsOverviewCommand())
}

func analyticsOverviewCommand() *cobra.Command {
	o := &clientOptions{}
	var days int
	c := ofProjectCommand("overview", "Count sessions, plays and players of the last days", o,
		func(ctx context.Context, c *cobra.Command, service *client.Client, project string) error {
			read, err := service.Overview(ctx, project, days)
			if err != nil {
				return err
			}
			if o.json {
				return printJSON(c.OutOrStdout(), read)
			}
			printOverview(c.OutOrStdout(), read)
			return nil
		})
	c.Flags().IntVar(&days, "days", api.DefaultOverviewDays, fmt.Sprintf("how many `DAYS`, today included, 1 to %d", api.MaxOverviewDays))
	return c
}

func printOverview(w io.Writer, o api.Overview) {
	const row = "%-12s %9v %9v %9v %9v %9v %11v\n"
	fmt.Fprintf(w, row, "day (UTC)", "sessions", "plays", "runs", "players", "new", "active s")
	for _, d := range o.Days {
		fmt.Fprintf(w, row, d.Day, d.Sessions, d.Plays, d.Runs, d.Players, d.NewPlayers, d.ActiveSeconds)
	}
	t := o.Total
	fmt.Fprintf(w, row, "all", t.Sessions, t.Plays, t.Runs, t.Players, t.NewPlayers, t.ActiveSeconds)
	for _, b := range o.Builds {
		fmt.Fprintf(w, "%s: %d sessions, %d plays, %d runs, %d s active\n", printable(b.JobID), b.Sessions, b.Plays, b.Runs, b.ActiveSeconds)
	}
	fmt.Fprintf(w, "events: %s\n", counted(o.Events))
	if len(o.Dropped) > 0 {
		fmt.Fprintf(w, "not kept: %s\n", counted(o.Dropped))
	}
	if t.Lost > 0 {
		fmt.Fprintf(w, "lost on the way: %d\n", t.Lost)
	}
}

// counted writes numbers by name.
func counted(numbers map[string]int64) string {
	if len(numbers) == 0 {
		return "none"
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		parts = append(parts, fmt.Sprintf("%s %d", printable(name), numbers[name]))
	}
	return strings.Join(parts, ", ")
}
