package commands

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/admin"
	"github.com/svc-games/svc/sidecar/keys"
)

func keyCommand(o *adminOptions) *cobra.Command {
	return group("key", "Create and manage API keys",
		keyCreateCommand(o), keyListCommand(o), keyRenameCommand(o), keyLimitsCommand(o), keyUsageCommand(o),
		oneKeyCommand(o, "show", "Show a key", (*admin.Client).Key),
		oneKeyCommand(o, "disable", "Make a key unusable until it is enabled", (*admin.Client).Disable),
		oneKeyCommand(o, "enable", "Make a disabled key usable again", (*admin.Client).Enable),
		oneKeyCommand(o, "revoke", "End a key for good", (*admin.Client).Revoke))
}

func keyCreateCommand(o *adminOptions) *cobra.Command {
	var userID, name string
	var flags limitFlags
	c := &cobra.Command{
		Use:     "create --user ID --name N",
		Short:   "Create a key and show its secret, once",
		Example: "  svc admin key create --user alice --name ci --jobs-per-day 50",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			var limits policy.Limits
			flags.apply(&limits)
			key, err := o.client().CreateKey(c.Context(), userID, name, limits)
			if err != nil {
				return adviseUser(err, userID)
			}
			err = o.print(c, key, nil, func(w io.Writer) {
				printFields(w, append([][2]string{{"secret", key.Secret}}, keyFields(key.Key)...))
			})
			if err != nil {
				return fmt.Errorf("%w: the secret of %s is lost, revoke the key", err, key.ID)
			}
			if !o.json {
				fmt.Fprintln(c.ErrOrStderr(), "\nThe secret is shown only now: store it. It can't be retrieved later.")
			}
			return nil
		},
	}
	c.Flags().StringVar(&userID, "user", "", "owner of the key")
	c.Flags().StringVar(&name, "name", "", "name of the key, for people")
	require(c, "user", "name")
	flags.register(c.Flags())
	return c
}

func keyListCommand(o *adminOptions) *cobra.Command {
	var userID string
	c := &cobra.Command{
		Use:   "list",
		Short: "List keys",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			list, err := o.client().Keys(c.Context(), userID)
			return o.print(c, list, err, func(w io.Writer) { printKeys(w, list) })
		},
	}
	c.Flags().StringVar(&userID, "user", "", "only the keys of this user")
	return c
}

func keyRenameCommand(o *adminOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "rename ID NAME",
		Short: "Give a key another name",
		Args:  cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			key, err := o.client().Rename(c.Context(), args[0], args[1])
			return o.printKey(c, key, err)
		},
	}
}

// oneKeyCommand is a command that makes one call about a key.
func oneKeyCommand(o *adminOptions, use, short string,
	call func(*admin.Client, context.Context, string) (keys.Key, error),
) *cobra.Command {
	return &cobra.Command{
		Use:   use + " ID",
		Short: short,
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			key, err := call(o.client(), c.Context(), args[0])
			return o.printKey(c, key, err)
		},
	}
}

func keyLimitsCommand(o *adminOptions) *cobra.Command {
	var flags limitFlags
	c := &cobra.Command{
		Use:     "limits ID",
		Short:   "Change the given limits of a key",
		Example: "  svc admin key limits key_… --jobs-per-day 50 --tik-per-month unlimited",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if !flags.given() {
				return &codedError{exitUsage, fmt.Errorf("no limit is given: name at least one, see svc admin key limits --help")}
			}
			key, err := o.client().Key(c.Context(), args[0])
			if err == nil {
				flags.apply(&key.Limits)
				key, err = o.client().SetLimits(c.Context(), key.ID, key.Version, key.Limits)
			}
			return o.printKey(c, key, err)
		},
	}
	flags.register(c.Flags())
	return c
}

// printKey prints the result of a command about one key.
func (o *adminOptions) printKey(c *cobra.Command, key keys.Key, err error) error {
	return o.print(c, key, adviseKey(err), func(w io.Writer) { printFields(w, keyFields(key)) })
}
