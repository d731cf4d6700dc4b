package commands

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/sidecar/admin"
)

// adminCommand administers users, keys and projects over the admin socket of a service
// that runs.
func adminCommand() *cobra.Command {
	o := new(localOptions)
	c := group("admin", "Administer users, keys and projects",
		userCommand(o), keyCommand(o), projectCommand(o), gameCommand(o), adminEnginesCommand(o), auditCommand(o),
		loginLinkCommand(o), migrateCommand(o), backupCommand(o), restoreCommand(o))
	o.register(c)
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

// advise adds what to do next to a refusal with the given status.
func advise(err error, status int, advice string) error {
	if refusal, ok := errors.AsType[*admin.Error](err); ok && refusal.Status == status {
		return fmt.Errorf("%w: %s", err, advice)
	}
	return err
}

// listKeys is how to find a key that is not there.
const listKeys = "list the keys with svc admin key list"

// adviseUser says how to create a missing user.
func adviseUser(err error, userID string) error {
	return advise(err, http.StatusNotFound, "create the user with svc admin user create "+userID)
}
