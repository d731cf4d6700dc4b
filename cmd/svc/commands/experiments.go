package commands

import (
	"context"
	"fmt"
	"strings"

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
	return readCommand(new(clientOptions), "list", "List a game's experiments; svc analytics experiments shows their results",
		(*client.Client).Experiments, printExperiments)
}

func experimentsDraftCommand() *cobra.Command {
	var percents []float64
	c := experimentCommand("draft PROJECT PARAMETER VALUE VALUE...", "Draft an experiment on a parameter, its current value first", cobra.RangeArgs(4, 7),
		func(args []string) api.ExperimentChange {
			return api.ExperimentChange{ID: args[1], State: api.ExperimentDraft, Values: args[2:], Percents: percents}
		})
	c.Example = "  svc experiments draft PROJECT speed 1 1.25"
	c.Flags().Float64SliceVar(&percents, "percents", nil, "share of the players for each value, as `PERCENT` separated by commas; equal without it")
	return c
}

func experimentsMoveCommand(name, short, state string) *cobra.Command {
	return experimentCommand(name+" PROJECT PARAMETER", short, cobra.ExactArgs(2), func(args []string) api.ExperimentChange {
		return api.ExperimentChange{ID: args[1], State: state}
	})
}

func experimentsWinnerCommand() *cobra.Command {
	return experimentCommand("winner PROJECT PARAMETER VALUE", "End an experiment: all players get one value", cobra.ExactArgs(3),
		func(args []string) api.ExperimentChange {
			return api.ExperimentChange{ID: args[1], State: api.ExperimentWinner, Winner: args[2]}
		})
}

// experimentCommand makes a command that changes an experiment, and prints what there is
// then.
func experimentCommand(use, short string, args cobra.PositionalArgs, change func(args []string) api.ExperimentChange) *cobra.Command {
	c := callCommand(new(clientOptions), use, short, projectFirst(args), func(ctx context.Context, service *client.Client, args []string) ([]api.Experiment, error) {
		return service.ChangeExperiment(ctx, args[0], change(args))
	}, printExperiments)
	call := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		wanted := change(args)
		if err := requests.CheckExperiment(wanted); err != nil {
			return &codedError{exitUsage, err}
		}
		return call(c, args)
	}
	return c
}

func printExperiments(c *cobra.Command, list []api.Experiment) {
	var rows [][]string
	for _, e := range list {
		values := make([]string, len(e.Values))
		for i, v := range e.Values {
			values[i] = fmt.Sprintf("%s (%g %%)", v.Value, v.Percent)
		}
		state := e.State
		if e.Winner != "" {
			state += " " + e.Winner
		}
		rows = append(rows, []string{e.ID, state, strings.Join(values, ", ")})
	}
	printTable(c.OutOrStdout(), rows)
}
