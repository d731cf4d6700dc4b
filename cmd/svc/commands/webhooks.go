package commands

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/client"
)

func webhooksCommand() *cobra.Command {
	return group("webhooks", "Post the ends of a project's jobs to a URL",
		webhooksSetCommand(), webhooksShowCommand(), webhooksRotateCommand(), webhooksDropCommand(), webhooksDeliveriesCommand(), webhooksReplayCommand())
}

func webhooksSetCommand() *cobra.Command {
	o := &clientOptions{}
	var events []string
	c := &cobra.Command{
		Use:   "set PROJECT URL",
		Short: "Set the URL; print the secret if a new one was made",
		Args:  cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			return o.call(c, func(ctx context.Context, service *client.Client) error {
				hook, err := service.SetWebhook(ctx, args[0], args[1], events...)
				if err != nil {
					return err
				}
				return o.printWebhook(c, hook)
			})
		},
	}
	o.register(c)
	c.Flags().StringSliceVar(&events, "events", nil, "`EVENTS` to post, separated by commas: "+strings.Join(api.HookEvents(), ", ")+" (default all)")
	return c
}

// printWebhook prints the secret, where there is one, and else what is known.
func (o *clientOptions) printWebhook(c *cobra.Command, hook api.Webhook) error {
	text := printable(hook.Secret)
	if text == "" {
		text = printable(hook.URL + "  " + strings.Join(hook.Events, " "))
	} else if !o.json {
		fmt.Fprintln(c.ErrOrStderr(), "The secret, which is not shown again:")
	}
	return o.print(c.OutOrStdout(), hook, text)
}

func webhooksShowCommand() *cobra.Command {
	o := &clientOptions{}
	return ofProjectCommand("show", "Print the URL and its events", o,
		func(ctx context.Context, c *cobra.Command, service *client.Client, project string) error {
			hook, err := service.Webhook(ctx, project)
			if err != nil {
				return err
			}
			return o.printWebhook(c, hook)
		})
}

func webhooksRotateCommand() *cobra.Command {
	o := &clientOptions{}
	return ofProjectCommand("rotate", "Make a new secret and print it; the old one is valid for a day", o,
		func(ctx context.Context, c *cobra.Command, service *client.Client, project string) error {
			hook, err := service.RotateWebhook(ctx, project)
			if err != nil {
				return err
			}
			return o.printWebhook(c, hook)
		})
}

func webhooksDropCommand() *cobra.Command {
	o := &clientOptions{}
	return ofProjectCommand("drop", "Remove the webhook and its deliveries", o,
		func(ctx context.Context, _ *cobra.Command, service *client.Client, project string) error {
			return service.DropWebhook(ctx, project)
		})
}

func webhooksDeliveriesCommand() *cobra.Command {
	o := &clientOptions{}
	var state string
	c := ofProjectCommand("deliveries", "List what was posted, newest first", o,
		func(ctx context.Context, c *cobra.Command, service *client.Client, project string) error {
			list := []api.Delivery{}
			for d, err := range service.Deliveries(ctx, project, state) {
				if err != nil {
					return err
				}
				list = append(list, d)
			}
			if o.json {
				return printJSON(c.OutOrStdout(), list)
			}
			w := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, d := range list {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\n", printable(d.ID), d.CreatedAt.Local().Format("2006-01-02 15:04:05"), printable(d.Event),
					printable(d.State), d.Attempts, printable(d.Problem))
			}
			return w.Flush()
		})
	c.Flags().StringVar(&state, "state", "", "only deliveries in this `STATE`: waiting, delivered or dead")
	return c
}

func webhooksReplayCommand() *cobra.Command {
	o := &clientOptions{}
	c := &cobra.Command{
		Use:   "replay PROJECT DELIVERY",
		Short: "Post a delivery again, as if it were new",
		Args:  cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			return o.call(c, func(ctx context.Context, service *client.Client) error {
				d, err := service.ReplayDelivery(ctx, args[0], args[1])
				if err != nil {
					return err
				}
				return o.print(c.OutOrStdout(), d, printable(d.State))
			})
		},
	}
	o.register(c)
	return c
}
