package commands

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/sidecar/admin"
)

// adminOptions are the flags of every admin command.
type adminOptions struct{ localOptions }

// adminCommand administers users, keys and projects over the admin socket of a service
// that runs.
func adminCommand() *cobra.Command {
	o := &adminOptions{}
	c := group("admin", "Administer users, keys and projects",
		userCommand(o), keyCommand(o), projectCommand(o), adminEnginesCommand(o), auditCommand(o),
		loginLinkCommand(o))
	o.register(c.PersistentFlags())
	return c
}

// group is a command that only holds others. Without one of them it prints its
// help; a name it doesn't know is an error.
func group(use, short string, subcommands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(subcommands...)
	return c
}

// print writes the result of a call as JSON, or as people writes it, unless the call
// failed with err.
func (o *adminOptions) print(c *cobra.Command, result any, err error, people func(w io.Writer)) error {
	switch {
	case err != nil:
		return err
	case o.json:
		return printJSON(c.OutOrStdout(), result)
	}
	return written(c.OutOrStdout(), people)
}

// advise adds what to do next to a refusal with the given status.
func advise(err error, status int, advice string) error {
	var refusal *admin.Error
	if errors.As(err, &refusal) && refusal.Status == status {
		return fmt.Errorf("%w: %s", err, advice)
	}
	return err
}

// adviseKey says how to find a key that is not there.
func adviseKey(err error) error {
	return advise(err, http.StatusNotFound, "list the keys with svc admin key list")
}

// adviseUser says how to create a missing user.
func adviseUser(err error, userID string) error {
	return advise(err, http.StatusNotFound, "create the user with svc admin user create "+userID)
}
