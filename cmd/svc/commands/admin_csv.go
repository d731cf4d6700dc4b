package commands

import "github.com/spf13/cobra"

// csvFlag adds --csv to a command.
func csvFlag(c *cobra.Command) *bool {
	return c.Flags().Bool("csv", false, "print the result as CSV, with a header line")
}

// checkOneForm refuses --csv together with --json.
func (o *localOptions) checkOneForm(asCSV bool) error {
	if asCSV && o.json {
		return misused("--csv and --json exclude each other: give one of them")
	}
	return nil
}
