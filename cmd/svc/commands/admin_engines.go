package commands

import (
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"
)

func adminEnginesCommand(o *adminOptions) *cobra.Command {
	return group("engines", "Show or change which data folder has the engines", enginesOwnerCommand(o), enginesReleaseCommand(o))
}

func enginesOwnerCommand(o *adminOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "owner",
		Short: "Show which data folder has the engines of the projects, and their volumes",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			owner, err := o.client().EnginesOwner(c.Context())
			return o.print(c, owner, adviseEngines(err), func(w io.Writer) {
				fmt.Fprintf(w, "%s, which has had them since %s\n", owner.Place, printTime(owner.Since))
			})
		},
	}
}

func enginesReleaseCommand(o *adminOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "release",
		Short: "Let the next engine proxy that starts have the engines",
		Long: `Let the next engine proxy that starts have the engines, when the data folder that has them is gone for good.

Stop its engine proxy first. Unfinished jobs end as engine_lost where their volumes are missing. A data folder
that is moved to another host needs no release: it keeps its name.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			owner, err := o.client().ReleaseEngines(c.Context())
			return o.print(c, owner, adviseEngines(err), func(w io.Writer) {
				fmt.Fprintf(w, "released from %s, which had them since %s\n", owner.Place, printTime(owner.Since))
			})
		},
	}
}

// adviseEngines says how a data folder gets the engines.
func adviseEngines(err error) error {
	return advise(err, http.StatusNotFound, "the next engine proxy that starts will")
}
