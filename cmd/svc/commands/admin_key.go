package commands

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/sidecar/admin"
	"github.com/svc-games/svc/sidecar/keys"
)

func keyCommand(o *localOptions) *cobra.Command {
	return group("key", "Create and manage API keys",
		keyCreateCommand(o), keyListCommand(o), keyLimitsCommand(o), keyUsageCommand(o),
		keyCommandOf(o, "rename ID NAME", "Give a key another name", 2, func(ctx context.Context, args []string) (keys.Key, error) {
			return o.client().Rename(ctx, args[0], args[1])
		}),
		oneKeyCommand(o, "show", "Show a key", (*admin.Client).Key),
		oneKeyCommand(o, "disable", "Make a key unusable until it is enabled", (*admin.Client).Disable),
		oneKeyCommand(o, "enable", "Make a disabled key usable again", (*admin.Client).Enable),
		oneKeyCommand(o, "revoke", "End a key for good", (*admin.Client).Revoke))
}

func keyCreateCommand(o *localOptions) *cobra.Command {
	var wanted keys.Request
	var flags limitFlags
	c := &cobra.Command{
		Use:   "create --user ID --name N",
		Short: "Create a key and show its secret, once",
		Example: "  svc admin key create --user alice --name ci --jobs-per-day 50\n" +
			"  svc admin key create --user alice --name board --scope read --label team=arcade",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			flags.apply(&wanted.Limits)
			key, err := o.client().CreateKey(c.Context(), wanted)
			if err != nil {
				return adviseUser(err, wanted.UserID)
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
	c.Flags().StringVar(&wanted.UserID, "user", "", "owner of the key")
	c.Flags().StringVar(&wanted.Name, "name", "", "name of the key, for people")
	c.Flags().StringSliceVar(&wanted.Scopes, "scope", nil, "what the key is for: full, read, or names that your policy knows (default full)")
	c.Flags().StringToStringVar(&wanted.Labels, "label", nil, "NAME=VALUE, a fact for your policy; can be repeated")
	require(c, "user", "name")
	flags.register(c.Flags())
	return c
}

func keyListCommand(o *localOptions) *cobra.Command {
	var userID string
	c := command(o, "list", "List keys", cobra.NoArgs, func(ctx context.Context, _ []string) ([]keys.Key, error) {
		return o.client().Keys(ctx, userID)
	}, printKeys)
	c.Flags().StringVar(&userID, "user", "", "only the keys of this user")
	return c
}

// oneKeyCommand is a command that makes one call about a key.
func oneKeyCommand(o *localOptions, use, short string, call func(*admin.Client, context.Context, string) (keys.Key, error)) *cobra.Command {
	return keyCommandOf(o, use+" ID", short, 1, func(ctx context.Context, args []string) (keys.Key, error) {
		return call(o.client(), ctx, args[0])
	})
}

// keyCommandOf is a command that prints a key, which its first argument names.
func keyCommandOf(o *localOptions, use, short string, args int, call func(context.Context, []string) (keys.Key, error)) *cobra.Command {
	return command(o, use, short, cobra.ExactArgs(args), func(ctx context.Context, args []string) (keys.Key, error) {
		key, err := call(ctx, args)
		return key, advise(err, http.StatusNotFound, listKeys)
	}, func(w io.Writer, key keys.Key) { printFields(w, keyFields(key)) })
}

func keyLimitsCommand(o *localOptions) *cobra.Command {
	var flags limitFlags
	c := keyCommandOf(o, "limits ID", "Change the given limits of a key", 1, func(ctx context.Context, args []string) (keys.Key, error) {
		if !flags.given() {
			return keys.Key{}, misused("no limit is given: name at least one, see svc admin key limits --help")
		}
		key, err := o.client().Key(ctx, args[0])
		if err != nil {
			return key, err
		}
		flags.apply(&key.Limits)
		return o.client().SetLimits(ctx, key.ID, key.Version, key.Limits)
	})
	c.Example = "  svc admin key limits key_… --jobs-per-day 50 --tik-per-month unlimited"
	flags.register(c.Flags())
	return c
}
