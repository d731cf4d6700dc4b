package commands

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/requests"
	"github.com/svc-games/svc/client"
)

func experimentsCommand() *cobra.Command {
	return group("experiments", "Give players of a published game different values of a parameter",
		experimentsListCommand(), experimentsDraftCommand(),
		experimentsMoveCommand("start", "Start an experiment: each player gets one of its values, always the same one", api.ExperimentRunning),
		experimentsMoveCommand("stop", "Stop an experiment: players get the value in the game", api.ExperimentStopped),
		experimentsWinnerCommand(),
		experimentsMoveCommand("remove", "Remove an experiment and its results", api.ExperimentRemoved))
}

func experimentsListCommand() *cobra.Command {
	o := &clientOptions{}
	return ofProjectCommand("list", "List a game's experiments; svc analytics experiments shows their results", o,
		func(ctx context.Context, c *cobra.Command, service *client.Client, project string) error {
			found, err := service.Experiments(ctx, project)
			if err != nil {
				return err
			}
			return o.printExperiments(c.OutOrStdout(), found)
		})
}

func experimentsDraftCommand() *cobra.Command {
	o := &clientOptions{}
	var percents []float64
	c := experimentCommand("draft PROJECT PARAMETER VALUE VALUE...", "Draft an experiment on a parameter, its current value first", cobra.RangeArgs(4, 7), o,
		func(args []string) api.ExperimentChange {
			return api.ExperimentChange{ID: args[1], State: api.ExperimentDraft, Values: args[2:], Percents: percents}
		})
	c.Example = "  svc experiments draft PROJECT speed 1 1.25"
	c.Flags().Float64SliceVar(&percents, "percents", nil, "share of the players for each value, as `PERCENT` separated by commas; equal without it")
	return c
}

func experimentsMoveCommand(name, short, state string) *cobra.Command {
	return experimentCommand(name+" PROJECT PARAMETER", short, cobra.ExactArgs(2), &clientOptions{}, func(args []string) api.ExperimentChange {
		return api.ExperimentChange{ID: args[1], State: state}
	})
}

func experimentsWinnerCommand() *cobra.Command {
	return experimentCommand("winner PROJECT PARAMETER VALUE", "End an experiment: all players get one value", cobra.ExactArgs(3), &clientOptions{},
		func(args []string) api.ExperimentChange {
			return api.ExperimentChange{ID: args[1], State: api.ExperimentWinner, Winner: args[2]}
		})
}

// experimentCommand makes a command that changes an experiment, and prints what there is
// then.
func experimentCommand(use, short string, args cobra.PositionalArgs, o *clientOptions, change func(args []string) api.ExperimentChange) *cobra.Command {
	c := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  args,
		RunE: func(c *cobra.Command, args []string) error {
			wanted := change(args)
			if err := requests.CheckExperiment(wanted); err != nil {
				return &codedError{exitUsage, err}
			}
			return o.call(c, func(ctx context.Context, service *client.Client) error {
				found, err := service.ChangeExperiment(ctx, args[0], wanted)
				if err != nil {
					return err
				}
				return o.printExperiments(c.OutOrStdout(), found)
			})
		},
	}
	o.register(c)
	return c
}

func (o *clientOptions) printExperiments(out io.Writer, list []api.Experiment) error {
	if o.json {
		return printJSON(out, list)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, e := range list {
		values := make([]string, len(e.Values))
		for i, v := range e.Values {
			values[i] = fmt.Sprintf("%s (%g %%)", v.Value, v.Percent)
		}
		state := e.State
		if e.Winner != "" {
			state += " " + e.Winner
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", printable(e.ID), printable(state), printable(strings.Join(values, ", ")))
	}
	return w.Flush()
}
