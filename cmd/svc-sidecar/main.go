// Command svc-sidecar is the sidecar on its own: keys, projects, ledger and
// policy for the gateways and engine proxies that ask it.
package main

import (
	"context"
	"os"

	"github.com/svc-games/svc/peer/cli"
	"github.com/svc-games/svc/sidecar/host"
)

func main() {
	cli.Main("svc-sidecar", func(ctx context.Context) error {
		o, err := host.ParseFlags(os.Args[1:], os.Getenv, os.Stderr)
		if err != nil {
			return err
		}
		return host.Run(ctx, o)
	})
}
