package commands

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/verify"
)

func policyDiffCommand(o *localOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Show which decisions of the exhaustive table change",
		Long: `Show which decisions of the exhaustive table change from one policy to
another, including near misses of allowed values and the literals of both policies.
Because no table has every input, changed conditions of allow and changed rules that
choose a refusal are shown too. OLD and NEW are directories or bundles, "active" for
the policy of the running service, or "embedded" for the one that svc was built with.
Exit code 0 when nothing changes, 1 when something does.`,
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
			d, err := verify.Diff(c.Context(), from, to)
			if err := o.print(c, entries(d), err, func(w io.Writer) { printDifference(w, d) }); err != nil {
				return err
			}
			switch {
			case d.None():
				fmt.Fprintln(c.ErrOrStderr(), nothingChanges(d))
				return nil
			case len(d.Changes) > 0:
				return fmt.Errorf("%d decisions of the table change", len(d.Changes))
			case d.Conditional():
				return errors.New("no decision of the table changes, but the conditions of allow do")
			case len(d.Rules) == 0:
				return errors.New("no decision changes, but the mask of the decision log differs")
			}
			return errors.New("no decision of the table and no condition of allow changes, but other rules do")
		},
	}
}

// entry is a cell that changes, a condition or a rule that differs, or what was not tried.
type entry struct {
	*verify.Change
	*verify.Condition
	Rule string `json:"rule,omitempty"`
	Mask string `json:"mask,omitempty"` // a rule of the decision log's mask
	Cut  string `json:"cut,omitempty"`  // what was left out of the table
}

// nothingChanges says so, and of what.
func nothingChanges(d verify.Difference) string {
	return strings.Join(append([]string{"no decision of the table changes, and allow holds under the same conditions"}, d.Cut...), "; ")
}

func entries(d verify.Difference) []entry {
	all := []entry{}
	for i := range d.Changes {
		all = append(all, entry{Change: &d.Changes[i]})
	}
	for i, condition := range d.Conditions {
		if condition.In != verify.Both {
			all = append(all, entry{Condition: &d.Conditions[i]})
		}
	}
	for _, rule := range d.Rules {
		all = append(all, entry{Rule: rule})
	}
	for _, rule := range d.Mask {
		all = append(all, entry{Mask: rule})
	}
	for _, cut := range d.Cut {
		all = append(all, entry{Cut: cut})
	}
	return all
}

func printDifference(w io.Writer, d verify.Difference) {
	for _, line := range d.Summary() {
		fmt.Fprintln(w, line)
	}
	if d.Conditional() {
		fmt.Fprintln(w, "\nallow holds when one of these does (- before, + now):")
		for _, condition := range d.Conditions {
			fmt.Fprintln(w, condition)
		}
	}
	for _, group := range []struct {
		heading string
		rules   []string
	}{{"rules of refusals and limits that differ:", d.Rules}, {"rules that differ of the decision log's mask, which hide or show what is recorded:", d.Mask}} {
		if len(group.rules) > 0 {
			fmt.Fprintln(w, "\n"+group.heading)
		}
		for _, rule := range group.rules {
			fmt.Fprintln(w, "  "+rule)
		}
	}
	if len(d.Cut) > 0 && !d.None() {
		fmt.Fprintln(w, "\n"+strings.Join(d.Cut, "\n"))
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
			e, err := policy.NewEvaluator(src)
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
