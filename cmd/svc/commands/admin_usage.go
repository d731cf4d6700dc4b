package commands

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/tables"
)

func keyUsageCommand(o *localOptions) *cobra.Command {
	c := &cobra.Command{
		Use:     "usage [ID]",
		Short:   "Show how much of its limits a key, or every key, has used",
		Example: "  svc admin key usage --csv > usage.csv",
		Args:    cobra.MaximumNArgs(1),
	}
	asCSV := csvFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := o.checkOneForm(*asCSV); err != nil {
			return err
		}
		usages, err := o.usages(c.Context(), args)
		if err != nil {
			return err
		}
		if *asCSV {
			return tables.WriteCSV(c.OutOrStdout(), tables.UsageHeader, tables.Usage(usages))
		}
		var result any = usages
		if len(args) == 1 {
			result = usages[0]
		}
		return o.print(c, result, nil, func(w io.Writer) { printUsages(w, usages) })
	}
	return c
}

// usages returns the usage of the key that is named, or of all.
func (o *localOptions) usages(ctx context.Context, args []string) ([]keys.Usage, error) {
	client := o.client()
	if len(args) == 1 {
		usage, err := client.Usage(ctx, args[0])
		return []keys.Usage{usage}, advise(err, http.StatusNotFound, listKeys)
	}
	list, err := client.Keys(ctx, "")
	if err != nil {
		return nil, err
	}
	usages := make([]keys.Usage, len(list))
	for i, key := range list {
		if usages[i], err = client.Usage(ctx, key.ID); err != nil {
			return nil, err
		}
	}
	return usages, nil
}

func printUsages(w io.Writer, usages []keys.Usage) {
	for i, usage := range usages {
		if i > 0 {
			fmt.Fprintln(w)
		}
		printUsage(w, usage)
	}
}
