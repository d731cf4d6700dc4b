package commands

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/sidecar/activation"
)

var (
	// errWaits is the error of an activation that has to wait.
	errWaits = errors.New("not active yet: the policy waits in shadow; see svc policy shadow --report, then svc policy approve")
	// errNotApproved is the error of an approval that nobody said yes to.
	errNotApproved = errors.New("not approved: read the changes, then confirm with --yes")
)

func policyApproveCommand(o *localOptions) *cobra.Command {
	var key string
	var yes, refuse bool
	c := &cobra.Command{
		Use:   "approve [REVISION] [--key FILE] [--yes] | --refuse",
		Short: "Show what the waiting policy changes, and activate it",
		Long: `Show what the waiting policy changes, and activate it in the running service. A
policy waits in shadow when it changes more recorded decisions than the service's
threshold, or when the service has approvers. With approvers, --key is the private key
of one who did not sign the policy. REVISION, or at least its first six characters,
makes sure that the intended policy is approved. --refuse drops the waiting policy.

The command shows what svc policy activate shows, and asks in the same way.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			status, err := o.client().PolicyStatus(c.Context())
			if err != nil {
				return err
			}
			waiting := status.Waiting
			if waiting == nil {
				return errors.New("no policy is waiting")
			}
			if given := strings.Join(args, ""); !strings.HasPrefix(waiting.Revision, given) || len(args) > 0 && len(given) < 6 {
				return fmt.Errorf("the waiting policy is %s, not %q", waiting.Revision, given)
			}
			if refuse {
				info, err := o.client().RefusePolicy(c.Context(), waiting.Revision)
				return o.print(c, info, err, func(w io.Writer) { fmt.Fprintf(w, "refused: %s\n", info.Revision) })
			}
			info, err := o.approve(c, status, key, yes)
			return o.print(c, info, err, func(w io.Writer) { printActive(w, info) })
		},
	}
	c.Flags().StringVar(&key, "key", "", "private key of an approver, in PEM")
	c.Flags().BoolVar(&yes, "yes", false, "approve without asking")
	c.Flags().BoolVar(&refuse, "refuse", false, "drop the waiting policy")
	c.MarkFlagsMutuallyExclusive("refuse", "yes")
	c.MarkFlagsMutuallyExclusive("refuse", "key")
	return c
}

// approve shows what waits, asks, and approves what was shown.
func (o *localOptions) approve(c *cobra.Command, status activation.Status, key string, yes bool) (activation.Info, error) {
	waiting := *status.Waiting
	files, err := o.client().PolicyFiles(c.Context(), waiting.Revision)
	if err != nil {
		return activation.Info{}, err
	}
	if _, err := o.show(c, status.Base().Revision, files, yes); err != nil {
		return activation.Info{}, err
	}
	if !yes && !confirmed(c, "approve") {
		return activation.Info{}, errNotApproved
	}
	var signature []byte
	if key != "" {
		waiting.Digest = files.Digest() // of what was shown
		statement, err := activation.Statement(waiting, status.Base().Revision)
		if err == nil {
			err = sign(statement, key)
		}
		if err != nil {
			return activation.Info{}, err
		}
		signature = statement[bundle.SignaturesFile]
	}
	return o.client().ApprovePolicy(c.Context(), waiting.Revision, signature)
}
