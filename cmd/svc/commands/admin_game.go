package commands

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/sidecar/projects"
)

func gameCommand(o *localOptions) *cobra.Command {
	return group("game", "Block published games, and read reports from players",
		gameBlockCommand(o), gameUnblockCommand(o), gameReportsCommand(o))
}

func gameBlockCommand(o *localOptions) *cobra.Command {
	var why string
	c := command(o, "block PROJECT --why TEXT", "Block a game: players can't open it, published now or later", oneProject,
		func(ctx context.Context, args []string) (struct{}, error) {
			if why == "" {
				return struct{}{}, misused("--why is missing: the game's owner reads it")
			}
			return struct{}{}, adviseGame(o.client().BlockGame(ctx, args[0], why))
		}, nothing)
	c.Flags().StringVar(&why, "why", "", "`text` shown to the game's owner")
	return c
}

func gameUnblockCommand(o *localOptions) *cobra.Command {
	return command(o, "unblock PROJECT", "Unblock a game", oneProject,
		func(ctx context.Context, args []string) (struct{}, error) {
			return struct{}{}, adviseGame(o.client().UnblockGame(ctx, args[0]))
		}, nothing)
}

// adviseGame says how to find a game that is not there.
func adviseGame(err error) error {
	return advise(err, http.StatusNotFound, "list the projects with svc admin project list")
}

// nothing is what people read of a change that is made.
func nothing(io.Writer, struct{}) {}

func gameReportsCommand(o *localOptions) *cobra.Command {
	return command(o, "reports", "List the games that players reported in the last 90 days", cobra.NoArgs,
		func(ctx context.Context, _ []string) ([]projects.Reported, error) { return o.client().Reports(ctx) },
		func(w io.Writer, list []projects.Reported) {
			rows := [][]string{{"PROJECT", "OWNER", "NAME", "REPORTS", "LAST", "BLOCKED"}}
			for _, g := range list {
				var reasons []string
				for _, reason := range slices.Sorted(maps.Keys(g.Reasons)) {
					reasons = append(reasons, fmt.Sprintf("%s %d", reason, g.Reasons[reason]))
				}
				rows = append(rows, []string{g.ProjectID, g.OwnerID, g.Name, strings.Join(reasons, ", "), printTime(g.LastAt), g.BlockedFor})
			}
			printTable(w, rows)
		})
}
