package commands

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/sidecar/site"
)

// loginLink is what the command prints as JSON.
type loginLink struct {
	URL       string    `json:"url"`
	UserID    string    `json:"userId"`
	ExpiresAt time.Time `json:"expiresAt"`
}

func loginLinkCommand(o *adminOptions) *cobra.Command {
	var user, address string
	c := &cobra.Command{
		Use:     "login-link --user ID",
		Short:   "Make a link that signs a user in to the console, once",
		Example: "  svc admin login-link --user alice",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if user == "" {
				return &codedError{exitUsage, errors.New("--user ID is required")}
			}
			link, err := o.client().LoginLink(c.Context(), user)
			if err != nil {
				return adviseUser(err, user)
			}
			// Browsers don't send what stands behind "#": the code is in no log.
			result := loginLink{
				URL:    siteOf(address) + site.Path + "login#" + link.Code,
				UserID: link.UserID, ExpiresAt: link.ExpiresAt,
			}
			return o.print(c, result, nil, func(w io.Writer) {
				fmt.Fprintf(w, "%s\nsigns %s in once, until %s\n", result.URL, result.UserID, printTime(result.ExpiresAt))
			})
		},
	}
	c.Flags().StringVar(&user, "user", "", "who is signed in")
	c.Flags().StringVar(&address, "address", cmp.Or(os.Getenv("SVC_ADDRESS"), defaultAddress),
		"site address of the service ($SVC_ADDRESS)")
	return c
}
