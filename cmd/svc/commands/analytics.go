package commands

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/requests"
	"github.com/svc-games/svc/client"
)

func analyticsCommand() *cobra.Command {
	commands := []*cobra.Command{analyticsOverviewCommand()}
	for _, view := range []struct{ name, short string }{
		{api.ViewLive, "Show who plays now, and the events of the last half hour"},
		{api.ViewEngagement, "Show how much and how often the game is played, by day and build"},
		{api.ViewRetention, "Show which players came back, by first day and build"},
		{api.ViewFunnels, "Show how far sessions came in each funnel"},
		{api.ViewEvents, "Show events by name, and why others were not kept"},
		{api.ViewExperiments, "Show experiments, and what their values did"},
		{api.ViewBoard, "Show the best of the leaderboard, held runs, and rewards given"},
		{api.ViewCosts, "Show which events are paid for"},
		{api.ViewRows, "Print each event of a day"},
	} {
		commands = append(commands, analyticsViewCommand(view.name, view.short))
	}
	return group("analytics", "Show how a published game is played", commands...)
}

// viewOptions are those of a command that shows a view.
type viewOptions struct {
	clientOptions
	query       api.ViewQuery
	definitions bool
}

func (o *viewOptions) register(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.query.Format, "format", "", "print one table as `FORMAT`: csv or ndjson")
	f.StringVar(&o.query.Table, "table", "", "`TABLE` to print, by its name in the JSON")
	f.BoolVar(&o.definitions, "definitions", false, "explain each figure")
	switch o.query.Name {
	case api.ViewRows:
		f.StringVar(&o.query.Day, "day", "", "UTC `DAY`, like 2026-11-24 (default today)")
	case api.ViewLive:
	default:
		f.IntVar(&o.query.Days, "days", api.DefaultOverviewDays, fmt.Sprintf("how many `DAYS`, today included, 1 to %d", api.MaxOverviewDays))
	}
}

func analyticsViewCommand(name, short string) *cobra.Command {
	o := &viewOptions{query: api.ViewQuery{Name: name}}
	c := ofProjectCommand(name, short, &o.clientOptions, func(ctx context.Context, c *cobra.Command, service *client.Client, project string) error {
		return o.show(ctx, c.OutOrStdout(), service, project)
	})
	o.register(c)
	return c
}

// show writes a view, with all pages of its rows.
func (o *viewOptions) show(ctx context.Context, w io.Writer, service *client.Client, project string) error {
	if err := checkViewFormat(o.query.Format); err != nil {
		return err
	}
	for page := 0; ; page++ {
		view, err := service.View(ctx, project, o.query)
		if err != nil {
			return err
		}
		if err := o.write(w, view, page); err != nil || view.NextCursor == "" {
			return err
		}
		o.query.After = view.NextCursor
	}
}

// checkViewFormat refuses what is no format of a table.
func checkViewFormat(format string) error {
	if format != "" && format != api.FormatCSV && format != api.FormatNDJSON {
		return fmt.Errorf("--format must be csv or ndjson, is %q", format)
	}
	return nil
}

// write writes one page of a view; the names of columns stand on the first.
func (o *viewOptions) write(w io.Writer, view api.View, page int) error {
	if o.json {
		return printJSON(w, view)
	}
	if o.query.Format == "" && o.query.Table == "" && o.query.Name != api.ViewRows {
		printView(w, view, o.definitions)
		return nil
	}
	table, err := requests.TableOf(view, o.query.Table)
	switch {
	case err != nil:
		return err
	case o.query.Format == api.FormatCSV && page == 0:
		return table.WriteCSV(w)
	case o.query.Format == api.FormatCSV:
		return table.WriteCSVRows(w)
	case o.query.Format == api.FormatNDJSON || o.query.Name == api.ViewRows:
		return table.WriteNDJSON(w)
	}
	view.Tables = []api.ViewTable{table}
	printView(w, view, o.definitions)
	return nil
}

// printView writes all tables for people.
func printView(w io.Writer, view api.View, definitions bool) {
	fmt.Fprintf(w, "%s to %s, days of UTC\n", view.From, view.To)
	for _, table := range view.Tables {
		fmt.Fprintf(w, "\n%s\n", table.Title)
		columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		titles := make([]string, len(table.Columns))
		for i, c := range table.Columns {
			titles[i] = c.Title
		}
		fmt.Fprintln(columns, strings.Join(titles, "\t"))
		for _, row := range table.Rows {
			cells := make([]string, len(row))
			for i, cell := range row {
				cells[i] = printable(shownCell(table.Columns[i].Unit, cell))
			}
			fmt.Fprintln(columns, strings.Join(cells, "\t"))
		}
		_ = columns.Flush() // output keeps the first error
		if len(table.Rows) == 0 {
			fmt.Fprintln(w, "nothing yet")
		}
		if definitions {
			for _, c := range table.Columns {
				fmt.Fprintf(w, "  %s: %s\n", c.Title, c.Definition)
			}
		}
	}
}

// shownCell writes a cell for people.
func shownCell(unit string, cell any) string {
	if cell == nil {
		return "-"
	}
	if part, ok := cell.(float64); ok && unit == api.UnitShare {
		return fmt.Sprintf("%.1f%%", 100*part)
	}
	return api.CellText(cell)
}

func analyticsOverviewCommand() *cobra.Command {
	o := &viewOptions{query: api.ViewQuery{Name: api.ViewOverview}}
	c := ofProjectCommand(api.ViewOverview, "Count sessions, plays and players of the last days", &o.clientOptions,
		func(ctx context.Context, c *cobra.Command, service *client.Client, project string) error {
			if o.query.Format != "" || o.query.Table != "" || o.definitions {
				return o.show(ctx, c.OutOrStdout(), service, project)
			}
			read, err := service.Overview(ctx, project, o.query.Days)
			if err != nil {
				return err
			}
			if o.json {
				return printJSON(c.OutOrStdout(), read)
			}
			printOverview(c.OutOrStdout(), read)
			return nil
		})
	o.register(c)
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
