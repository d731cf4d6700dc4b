// Command svc-engine-proxy is the engine proxy on its own: it starts, finds
// and stops engines for the gateways that ask it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/daemon"
	"github.com/svc-games/svc/sidecar/wire/ledger"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	o, err := daemon.ParseOptions(os.Args[1:], os.Getenv, os.Stderr)
	if err == nil {
		err = daemon.Run(ctx, o, func(sidecar http.RoundTripper) engineproxy.Ledger { return ledger.New(sidecar) })
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "svc-engine-proxy: "+err.Error())
		os.Exit(1)
	}
}
