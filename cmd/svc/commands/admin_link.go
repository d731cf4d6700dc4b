package commands

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/cmd/svc/doctor"
	"github.com/svc-games/svc/sidecar/site"
)

// loginLink is what the command prints as JSON.
type loginLink struct {
	URL       string    `json:"url"`
	UserID    string    `json:"userId"`
	ExpiresAt time.Time `json:"expiresAt"`
}

func loginLinkCommand(o *localOptions) *cobra.Command {
	var user, address string
	c := command(o, "login-link --user ID", "Make a link that signs a user in to the console, once", cobra.NoArgs,
		func(ctx context.Context, _ []string) (loginLink, error) {
			link, err := o.client().LoginLink(ctx, user)
			// Browsers don't send what stands behind "#": the code is in no log.
			place := doctor.SiteOf(address) + site.Path + "login#" + link.Code
			return loginLink{URL: place, UserID: link.UserID, ExpiresAt: link.ExpiresAt}, adviseUser(err, user)
		}, func(w io.Writer, l loginLink) {
			fmt.Fprintf(w, "%s\nsigns %s in once, until %s\n", l.URL, l.UserID, printTime(l.ExpiresAt))
		})
	c.Example = "  svc admin login-link --user alice"
	c.Flags().StringVar(&user, "user", "", "user to sign in")
	require(c, "user")
	c.Flags().StringVar(&address, "address", cmp.Or(os.Getenv("SVC_ADDRESS"), doctor.DefaultAddress),
		"site address of the service ($SVC_ADDRESS)")
	return c
}
