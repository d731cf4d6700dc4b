// Command svc-engine-proxy is the engine proxy on its own: it starts, finds
// and stops engines for the gateways that ask it.
package main

import (
	"context"
	"net/http"
	"os"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/daemon"
	"github.com/svc-games/svc/peer/cli"
	"github.com/svc-games/svc/sidecar/wire/ledger"
)

func main() {
	cli.Main("svc-engine-proxy", func(ctx context.Context) error {
		o, err := daemon.ParseOptions(os.Args[1:], os.Getenv, os.Stderr)
		if err != nil {
			return err
		}
		return daemon.Run(ctx, o, func(sidecar http.RoundTripper) engineproxy.Ledger { return ledger.New(sidecar) })
	})
}
