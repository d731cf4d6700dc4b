package commands

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/sidecar/activation"
)

// errNotRolledBack is the error of a rollback that nobody said yes to.
var errNotRolledBack = errors.New("not rolled back: read the changes, then confirm with --yes")

func policyRollbackCommand(o *localOptions) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:   "rollback [REVISION] [--yes]",
		Short: "Show what an earlier policy changes, and activate it again",
		Long: `Show what a policy that was active before changes, and activate it again: the one
before the active one, or REVISION, of which the first six characters are enough. It
holds until the service's source of policies changes.

The command shows what svc policy activate shows, and asks in the same way. If another
policy became active in the meantime, nothing is rolled back.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			status, err := o.client().PolicyStatus(c.Context())
			if err != nil {
				return err
			}
			info, err := o.rollBack(c, status, strings.Join(args, ""), yes)
			return o.print(c, info, err, func(w io.Writer) { printActive(w, info) })
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "roll back without asking")
	return c
}

// rollBack shows where a rollback leads, "" the one before the active policy, asks, and does it.
func (o *localOptions) rollBack(c *cobra.Command, status activation.Status, to string, yes bool) (activation.Info, error) {
	from, shown := status.Base().Revision, to
	if to == "" && status.Before == nil {
		return o.client().RollBackPolicy(c.Context(), to, from) // the service says what is wrong with that
	}
	if to == "" {
		shown = status.Before.Revision
	}
	files, err := o.client().PolicyFiles(c.Context(), shown)
	if err != nil {
		return activation.Info{}, err
	}
	changes, err := o.show(c, from, files, yes)
	if err != nil {
		return activation.Info{}, err
	}
	if !yes && changes && !confirmed(c, "roll back to") {
		return activation.Info{}, errNotRolledBack
	}
	return o.client().RollBackPolicy(c.Context(), to, from)
}
