package commands

import (
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/keys"
)

func userCommand(o *adminOptions) *cobra.Command {
	return group("user", "Create and show users, top up their TIK, list what they spent",
		userCreateCommand(o), userTopUpCommand(o), userShowCommand(o), userStatementCommand(o))
}

func userCreateCommand(o *adminOptions) *cobra.Command {
	var amount tikAmount
	c := &cobra.Command{
		Use:     "create ID",
		Short:   "Create a user",
		Example: "  svc admin user create alice --tik 1000",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			user, err := o.client().CreateUser(c.Context(), args[0], api.TIK(amount))
			err = advise(err, http.StatusConflict, "top it up with svc admin user topup "+args[0]+" N")
			return o.print(c, user, err, func(w io.Writer) { printUser(w, user) })
		},
	}
	c.Flags().Var(&amount, "tik", "first credit in TIK")
	return c
}

func userTopUpCommand(o *adminOptions) *cobra.Command {
	var credit keys.Credit
	c := &cobra.Command{
		Use:   "topup ID N",
		Short: "Credit a user with N TIK",
		Example: "  svc admin user topup alice 250\n" +
			"  svc admin user topup alice 250 --reference invoice-1207",
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			var err error
			if credit.TIK, err = api.ParseTIK(args[1]); err != nil {
				return &codedError{exitUsage, err}
			}
			user, err := o.client().TopUp(c.Context(), args[0], credit)
			return o.print(c, user, adviseUser(err, args[0]), func(w io.Writer) {
				printUser(w, user.User)
				if user.Repeated {
					fmt.Fprintf(w, "\n%s was credited before; nothing has changed\n", credit.Reference)
				}
			})
		},
	}
	c.Flags().StringVar(&credit.Reference, "reference", "", "your reference of the payment; the same one is credited once")
	return c
}

func userShowCommand(o *adminOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show a user's balance and how many keys and projects the user has",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			user, err := o.client().User(c.Context(), args[0])
			return o.print(c, user, adviseUser(err, args[0]), func(w io.Writer) { printUser(w, user) })
		},
	}
}

func printUser(w io.Writer, u keys.User) {
	printFields(w, [][2]string{
		{"user", u.ID},
		{"balance", u.Balance.String() + " TIK"},
		{"keys", fmt.Sprintf("%d of %d", u.Keys, keys.MaxPerUser)},
		{"projects", fmt.Sprint(u.Projects)},
		{"created", printTime(u.CreatedAt)},
	})
}
