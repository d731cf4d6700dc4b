package commands

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/requests"
	"github.com/svc-games/svc/client"
)

func boardCommand() *cobra.Command {
	return group("board", "Show and set the rules of a game's leaderboard and rewards", boardShowCommand(), boardSetCommand())
}

func boardShowCommand() *cobra.Command {
	return readCommand(new(clientOptions), "show", "Print the rules as JSON; svc analytics board shows the leaderboard",
		(*client.Client).BoardRules, func(c *cobra.Command, rules api.BoardRules) { _ = printJSON(c.OutOrStdout(), rules) }) // output keeps the error
}

func boardSetCommand() *cobra.Command {
	o := &clientOptions{}
	c := &cobra.Command{
		Use:     "set PROJECT FILE",
		Short:   `Replace the rules with those in a file ("-" is standard input), and print them`,
		Example: `  echo '{"better": "lower", "least": 3}' | svc board set PROJECT -`,
		Args:    projectFirst(cobra.ExactArgs(2)),
		RunE: func(c *cobra.Command, args []string) error {
			text, err := readRules(c.InOrStdin(), args[1])
			if err != nil {
				return err
			}
			rules, err := requests.ParseBoardRules(text)
			if err != nil {
				return &codedError{exitUsage, err}
			}
			return o.call(c, func(ctx context.Context, service *client.Client) error {
				set, err := service.SetBoardRules(ctx, args[0], rules)
				if err != nil {
					return err
				}
				return printJSON(c.OutOrStdout(), set)
			})
		},
	}
	o.register(c)
	return c
}

func readRules(stdin io.Reader, file string) ([]byte, error) {
	text, err := []byte(nil), error(nil)
	if file == "-" {
		text, err = io.ReadAll(stdin)
	} else {
		text, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, fmt.Errorf("reading rules: %w", err)
	}
	return text, nil
}
