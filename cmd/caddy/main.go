// Command caddy is Caddy with the service's modules: gateway, and sidecar and
// engine proxy in the same process unless the configuration says otherwise.
package main

import (
	"fmt"
	"os"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	_ "github.com/caddyserver/caddy/v2/modules/standard"

	_ "github.com/svc-games/svc/caddymodule"
	"github.com/svc-games/svc/caddymodule/embedded"
	_ "github.com/svc-games/svc/caddymodule/remote"
)

func main() {
	args, err := embedded.Prepare(os.Args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "caddy: "+err.Error())
		os.Exit(1)
	}
	os.Args = args
	caddycmd.Main()
}
