package commands

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/policy/verify"
)

func policyTestCommand(o *localOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "test [DIR]",
		Short: "Run the tests of the policy that svc was built with, or of the one in DIR",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			src, err := o.openArgument(c.Context(), args)
			if err != nil {
				return err
			}
			report, err := verify.RunTests(c.Context(), src)
			err = o.print(c, report, err, func(w io.Writer) { printTests(w, report) })
			if err == nil && !report.Passed() {
				err = errors.New("the policy did not pass its tests")
			}
			return err
		},
	}
}

func printTests(out io.Writer, report verify.Report) {
	failed := 0
	for _, test := range report.Tests {
		if !test.Passed {
			failed++
			fmt.Fprintf(out, "FAIL %s %s %s\n", test.Place, test.Name, test.Detail)
		}
	}
	for _, line := range report.Uncovered {
		fmt.Fprintf(out, "no test evaluates %s\n", line)
	}
	fmt.Fprintf(out, "%d passed, %d failed, coverage %.1f %%\n", len(report.Tests)-failed, failed, report.Coverage)
}
