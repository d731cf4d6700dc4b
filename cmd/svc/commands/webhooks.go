package commands

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/client"
)

func webhooksCommand() *cobra.Command {
	return group("webhooks", "Post the ends of a project's jobs to a URL",
		webhooksSetCommand(), webhooksShowCommand(), webhooksRotateCommand(), webhooksDropCommand(), webhooksDeliveriesCommand(), webhooksReplayCommand())
}

func webhooksSetCommand() *cobra.Command {
	var events []string
	c := callCommand(new(clientOptions), "set PROJECT URL", "Set the URL; print the secret if a new one was made", projectFirst(cobra.ExactArgs(2)),
		func(ctx context.Context, service *client.Client, args []string) (api.Webhook, error) {
			return service.SetWebhook(ctx, args[0], args[1], events...)
		}, printWebhook)
	c.Flags().StringSliceVar(&events, "events", nil, "`EVENTS` to post, separated by commas: "+strings.Join(api.HookEvents(), ", ")+" (default all)")
	return c
}

// printWebhook prints the secret, where there is one, and else what is known.
func printWebhook(c *cobra.Command, hook api.Webhook) {
	text := printable(hook.Secret)
	if text == "" {
		text = printable(hook.URL + "  " + strings.Join(hook.Events, " "))
	} else {
		fmt.Fprintln(c.ErrOrStderr(), "The secret, which is not shown again:")
	}
	fmt.Fprintln(c.OutOrStdout(), text)
}

func webhooksShowCommand() *cobra.Command {
	return readCommand(new(clientOptions), "show", "Print the URL and its events", (*client.Client).Webhook, printWebhook)
}

func webhooksRotateCommand() *cobra.Command {
	return readCommand(new(clientOptions), "rotate", "Make a new secret and print it; the old one is valid for a day",
		(*client.Client).RotateWebhook, printWebhook)
}

func webhooksDropCommand() *cobra.Command {
	o := &clientOptions{}
	return ofProjectCommand("drop", "Remove the webhook and its deliveries", o,
		func(ctx context.Context, _ *cobra.Command, service *client.Client, project string) error {
			return service.DropWebhook(ctx, project)
		})
}

func webhooksDeliveriesCommand() *cobra.Command {
	var state string
	c := readCommand(new(clientOptions), "deliveries", "List what was posted, newest first",
		func(service *client.Client, ctx context.Context, project string) ([]api.Delivery, error) {
			return all(service.Deliveries(ctx, project, state))
		}, func(c *cobra.Command, list []api.Delivery) {
			var rows [][]string
			for _, d := range list {
				at := d.CreatedAt.Local().Format("2006-01-02 15:04:05")
				rows = append(rows, []string{d.ID, at, d.Event, d.State, strconv.FormatInt(d.Attempts, 10), d.Problem})
			}
			printTable(c.OutOrStdout(), rows)
		})
	c.Flags().StringVar(&state, "state", "", "only deliveries in this `STATE`: waiting, delivered or dead")
	return c
}

func webhooksReplayCommand() *cobra.Command {
	return callCommand(new(clientOptions), "replay PROJECT DELIVERY", "Post a delivery again, as if it were new", projectFirst(cobra.ExactArgs(2)),
		func(ctx context.Context, service *client.Client, args []string) (api.Delivery, error) {
			return service.ReplayDelivery(ctx, args[0], args[1])
		}, func(c *cobra.Command, d api.Delivery) { fmt.Fprintln(c.OutOrStdout(), printable(d.State)) })
}
