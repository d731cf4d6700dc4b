package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/policy/verify"
)

func policyVerifyCommand(o *localOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "verify [DIR]",
		Short: "Verify the policy that svc was built with, or the one in DIR",
		Long: `Verify the policy that svc was built with, or the one in DIR: that it is
formatted, compiles strictly against the schemas of input and decision and
calls nothing forbidden, that its rules are labelled, that its tests pass, cover
every line and notice every small mistake in the rules, that the exhaustive
table of decisions is the one in ` + verify.TableFile + `, and what a
decision costs. Exit code 1 when a step fails.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			src, err := o.openArgument(c.Context(), args)
			if err != nil {
				return err
			}
			out := c.OutOrStdout()
			report := func(step verify.Step) { printStep(out, step) }
			if o.json {
				report = func(verify.Step) {}
			}
			done, err := verify.Policy(c.Context(), src, report)
			if err != nil {
				return err
			}
			if err := o.print(c, done, nil, func(io.Writer) {}); err != nil { // people have seen its steps
				return err
			}
			if !done.Passed() {
				return errors.New("the policy failed its verification")
			}
			return nil
		},
	}
}

func printStep(out io.Writer, step verify.Step) {
	line := fmt.Sprintf("%-9s %-7s %6s  %s", step.Name, step.Outcome, step.Duration.Round(time.Millisecond), step.Summary)
	fmt.Fprintln(out, strings.TrimSpace(line))
	for _, finding := range step.Findings {
		fmt.Fprintln(out, "  "+strings.ReplaceAll(finding, "\n", "\n  "))
	}
}

func policyFormatCommand(o *localOptions) *cobra.Command {
	return command(o, "format DIR", "Format the files of a policy, as opa fmt does", cobra.ExactArgs(1),
		func(_ context.Context, args []string) ([]string, error) {
			if err := checkDirectory(args[0]); err != nil {
				return nil, err
			}
			unformatted, err := verify.Unformatted(os.DirFS(args[0]))
			if err != nil {
				return nil, err
			}
			paths := append([]string{}, slices.Sorted(maps.Keys(unformatted))...)
			for _, path := range paths {
				if err := os.WriteFile(filepath.Join(args[0], filepath.FromSlash(path)), unformatted[path], 0o644); err != nil {
					return nil, fmt.Errorf("formatting: %w", err)
				}
			}
			return paths, nil
		}, func(w io.Writer, paths []string) {
			for _, path := range paths {
				fmt.Fprintln(w, path)
			}
		})
}
