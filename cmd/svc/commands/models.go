package commands

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/client"
)

func modelsCommand() *cobra.Command {
	c := callCommand(new(clientOptions), "models", "List the models for --settings model=NAME, with the price of a million tokens", cobra.NoArgs,
		func(ctx context.Context, service *client.Client, _ []string) ([]api.Model, error) {
			return service.Models(ctx)
		},
		func(c *cobra.Command, models []api.Model) {
			for _, m := range models {
				fmt.Fprintln(c.OutOrStdout(), modelText(m))
			}
		})
	c.AddCommand(modelsRecordCommand())
	return c
}

// modelText is a model in one line.
func modelText(m api.Model) string {
	words := []string{printable(m.Name)}
	add := func(is bool, format string, args ...any) {
		if is {
			words = append(words, fmt.Sprintf(format, args...))
		}
	}
	add(m.Default, "default")
	add(m.Name == api.ModelEmbedded, "no model")
	add(m.Context > 0, "context %d", m.Context)
	add(m.Vision, "vision")
	add(m.Reasoning, "reasoning")
	if p := m.Price; p != nil {
		add(true, "input %d, cached %d, output %d TIK", p.Input, p.Cached, p.Output)
	}
	return strings.Join(words, "  ")
}

// completionTimeout bounds what a shell waits for.
const completionTimeout = 3 * time.Second

// completeSettings offers the names of settings, and the values of those that have
// few.
func completeSettings(o *clientOptions) cobra.CompletionFunc {
	return func(c *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		name, _, valued := strings.Cut(begun, "=")
		if !valued {
			var names []string
			for _, name := range settingNames {
				names = append(names, name+"=")
			}
			return names, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
		}
		values := settingValues[name]
		if name == "model" {
			values = o.modelNames(c)
		}
		var out []string
		for _, value := range values {
			out = append(out, name+"="+value)
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// modelNames asks the service.
func (o *clientOptions) modelNames(c *cobra.Command) []string {
	names, _ := o.complete(func(ctx context.Context, service *client.Client, add func(id, what string) bool) {
		models, err := service.Models(ctx)
		if err != nil {
			return
		}
		for _, m := range models {
			add(m.Name, "")
		}
	})(c, nil, "")
	return names
}
