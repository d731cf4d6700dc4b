package commands

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/sidecar/admin"
)

func adminEnginesCommand(o *localOptions) *cobra.Command {
	release := ownerCommand(o, "release", "Let the next engine proxy that starts have the engines",
		(*admin.Client).ReleaseEngines, "released from %s, which had them since %s\n")
	release.Long = `Give the engines to the next engine proxy that starts, when their data directory is gone for good.

Stop its engine proxy first. Unfinished jobs end as engine_lost where their volumes are missing. A data directory
that is moved to another host needs no release: it keeps its name.`
	return group("engines", "Show or change which data directory has the engines",
		ownerCommand(o, "owner", "Show which data directory has the engines of the projects, and their volumes",
			(*admin.Client).EnginesOwner, "%s, which has had them since %s\n"),
		release)
}

// ownerCommand is a command that makes one call about who has the engines, or had them.
func ownerCommand(o *localOptions, use, short string,
	call func(*admin.Client, context.Context) (contract.Installation, error), says string,
) *cobra.Command {
	return command(o, use, short, cobra.NoArgs, func(ctx context.Context, _ []string) (contract.Installation, error) {
		owner, err := call(o.client(), ctx)
		return owner, advise(err, http.StatusNotFound, "the next engine proxy that starts will")
	}, func(w io.Writer, owner contract.Installation) {
		fmt.Fprintf(w, says, owner.Place, printTime(owner.Since))
	})
}
