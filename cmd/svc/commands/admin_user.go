package commands

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/admin"
	"github.com/svc-games/svc/sidecar/keys"
)

func userCommand(o *localOptions) *cobra.Command {
	return group("user", "Create, show and suspend users, top up their TIK, list what they spent, set attributes for the policy",
		userCreateCommand(o), userTopUpCommand(o), userShowCommand(o), userStatementCommand(o),
		userAttributesCommand(o),
		oneUserCommand(o, "suspend", "Refuse a user and all of the user's keys until resumed; jobs go on", (*admin.Client).Suspend),
		oneUserCommand(o, "resume", "End the suspension of a user", (*admin.Client).Resume))
}

func userCreateCommand(o *localOptions) *cobra.Command {
	var amount tikAmount
	c := command(o, "create ID", "Create a user", cobra.ExactArgs(1), func(ctx context.Context, args []string) (keys.User, error) {
		user, err := o.client().CreateUser(ctx, args[0], api.TIK(amount))
		return user, advise(err, http.StatusConflict, "top it up with svc admin user topup "+args[0]+" N")
	}, printUser)
	c.Example = "  svc admin user create alice --tik 1000"
	c.Flags().Var(&amount, "tik", "initial credit in TIK")
	return c
}

func userTopUpCommand(o *localOptions) *cobra.Command {
	var credit keys.Credit
	c := command(o, "topup ID N", "Credit a user with N TIK", cobra.ExactArgs(2), func(ctx context.Context, args []string) (keys.Credited, error) {
		var err error
		if credit.TIK, err = api.ParseTIK(args[1]); err != nil {
			return keys.Credited{}, &codedError{exitUsage, err}
		}
		user, err := o.client().TopUp(ctx, args[0], credit)
		return user, adviseUser(err, args[0])
	}, func(w io.Writer, user keys.Credited) {
		printUser(w, user.User)
		if user.Repeated {
			fmt.Fprintf(w, "\n%s was credited before; nothing has changed\n", credit.Reference)
		}
	})
	c.Example = "  svc admin user topup alice 250\n" +
		"  svc admin user topup alice 250 --reference invoice-1207"
	c.Flags().StringVar(&credit.Reference, "reference", "", "your reference for the payment; each reference is credited once")
	return c
}

func userAttributesCommand(o *localOptions) *cobra.Command {
	c := command(o, "attributes ID [NAME=VALUE...]", "Show or set the attributes of a user, facts for the policy; NAME= removes one",
		cobra.MinimumNArgs(1), func(ctx context.Context, args []string) (keys.User, error) {
			set, err := parseAttributes(args[1:])
			var user keys.User
			switch {
			case err != nil:
				return user, err
			case len(set) == 0:
				user, err = o.client().User(ctx, args[0])
			default:
				user, err = o.client().SetUserAttributes(ctx, args[0], set)
			}
			return user, adviseUser(err, args[0])
		}, printUser)
	c.Example = "  svc admin user attributes alice plan=school\n" +
		"  svc admin user attributes alice plan="
	return c
}

func userShowCommand(o *localOptions) *cobra.Command {
	return oneUserCommand(o, "show", "Show a user's balance and how many keys and projects the user has", (*admin.Client).User)
}

// oneUserCommand is a command that makes one call about a user.
func oneUserCommand(o *localOptions, use, short string, call func(*admin.Client, context.Context, string) (keys.User, error)) *cobra.Command {
	return command(o, use+" ID", short, cobra.ExactArgs(1), func(ctx context.Context, args []string) (keys.User, error) {
		user, err := call(o.client(), ctx, args[0])
		return user, adviseUser(err, args[0])
	}, printUser)
}

func printUser(w io.Writer, u keys.User) {
	fields := [][2]string{
		{"user", u.ID},
		{"state", u.State},
		{"balance", u.Balance.String() + " TIK"},
		{"keys", fmt.Sprintf("%d of %d", u.Keys, keys.MaxPerUser)},
		{"projects", fmt.Sprint(u.Projects)},
		{"created", printTime(u.CreatedAt)},
	}
	if len(u.Attributes) > 0 {
		fields = append(fields, [2]string{"attributes", printTexts(u.Attributes)})
	}
	printFields(w, fields)
}
