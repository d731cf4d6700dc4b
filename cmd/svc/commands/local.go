package commands

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/svc-games/svc/sidecar/admin"
)

// localOptions are the flags of commands about the service on this machine.
type localOptions struct {
	dataDir string
	json    bool
}

func (o *localOptions) register(flags *pflag.FlagSet) {
	flags.StringVar(&o.dataDir, "data-dir", cmp.Or(os.Getenv("SVC_DATA_DIR"), "data"), "data directory of the service ($SVC_DATA_DIR)")
	flags.BoolVar(&o.json, "json", false, "print the result as JSON")
}

// client is of the service's admin socket.
func (o *localOptions) client() *admin.Client {
	return admin.NewClient(filepath.Join(o.dataDir, admin.SocketFile))
}

// require marks flags that the command can't do without.
func require(c *cobra.Command, flags ...string) {
	for _, name := range flags {
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err) // the flag is not defined
		}
	}
}
