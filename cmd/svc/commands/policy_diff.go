package commands

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/verify"
)

func policyDiffCommand(o *localOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Show which decisions of the exhaustive table change",
		Long: `Show which decisions of the exhaustive table change from one policy to
another. OLD and NEW are directories or bundles, "active" for the policy of the
running service, or "embedded" for the one that svc was built with. Exit code 0
when none changes, 1 when some do.`,
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			from, err := o.open(c.Context(), args[0])
			if err != nil {
				return err
			}
			to, err := o.open(c.Context(), args[1])
			if err != nil {
				return err
			}
			changes, err := verify.Diff(c.Context(), from, to)
			if err := o.print(c, append([]verify.Change{}, changes...), err, func(w io.Writer) {
				for _, line := range verify.Summary(changes) {
					fmt.Fprintln(w, line)
				}
			}); err != nil {
				return err
			}
			if len(changes) > 0 {
				return fmt.Errorf("%d decisions of the table change", len(changes))
			}
			fmt.Fprintln(c.ErrOrStderr(), "no decision of the table changes")
			return nil
		},
	}
}

func policyTableCommand(o *localOptions) *cobra.Command {
	var write bool
	c := &cobra.Command{
		Use:   "table [DIR]",
		Short: "Print the exhaustive table: the rule that decides each combination of facts",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if write && len(args) == 0 {
				return misused("--write needs the directory of a policy")
			}
			if write {
				if err := checkDirectory(args[0]); err != nil {
					return err
				}
			}
			src, err := o.openArgument(c.Context(), args)
			if err != nil {
				return err
			}
			projects, err := verify.ReadProjects(src)
			if err != nil {
				return err
			}
			e, err := policy.NewEvaluatorFS(src)
			if err != nil {
				return err
			}
			table, err := verify.NewTable(c.Context(), e, projects)
			if err != nil {
				return err
			}
			if write {
				return writeTable(filepath.Join(args[0], filepath.FromSlash(verify.TableFile)), table)
			}
			return o.print(c, table, nil, func(w io.Writer) { fmt.Fprint(w, table) })
		},
	}
	c.Flags().BoolVar(&write, "write", false, "write the table to "+verify.TableFile+" in DIR instead")
	return c
}

func writeTable(path string, table verify.Table) error {
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(table.String()), 0o644)
	}
	if err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}
